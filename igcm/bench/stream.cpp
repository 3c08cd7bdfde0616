// The triad of STREAM (McCalpin 1995): a = b + s c. Prints GB/s, with 24 bytes counted for each element, as
// STREAM does. The time is the processor's, divided by the number of threads; the mean of some repetitions.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

int main() {
  constexpr long n = 16L << 20;  // 128 MiB an array, several times a last-level cache
  const std::unique_ptr<double[]> a(new double[n]), b(new double[n]), c(new double[n]);
#pragma omp parallel for schedule(static)
  for (long i = 0; i < n; ++i) a[i] = 0, b[i] = 1, c[i] = 2;
  constexpr int repetitions = 10;
  const std::clock_t start = std::clock();
  for (int repetition = 0; repetition < repetitions; ++repetition) {
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; ++i) a[i] = b[i] + 3 * c[i];
  }
  const char* threads = std::getenv("OMP_NUM_THREADS");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / repetitions;
  std::printf("%.3f\n",
              24e-9 * n / seconds * (threads == nullptr ? 1 : std::atoi(threads)) * (a[n / 2] == 7));
  return 0;
}
