// The triad of STREAM (McCalpin 1995): a = b + s c. Prints GB/s of the fastest of some repetitions, with 24 bytes
// counted for each element, as STREAM does.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

int main() {
  constexpr long n = 16L << 20;  // 128 MiB an array, several times a last-level cache
  const std::unique_ptr<double[]> a(new double[n]), b(new double[n]), c(new double[n]);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  double best = 1e9;
  for (int repetition = 0; repetition < 10; ++repetition) {
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%.3f\n", 24e-9 * n / best * (a[n / 2] == 7));
  return 0;
}
