// Spectra against the sum that defines the Fourier transform.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "analytics/testing/use.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using List = std::vector<double>;

// |sum a exp(-2 pi i (ky y / ny + kx x / nx))|^2 / (nx ny)^2
double power(const List& a, int ny, int nx, int ky, int kx) {
  std::complex<double> sum = 0.0;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      sum += a[base::index(y * nx + x)] *
             std::polar(1.0, -2.0 * std::numbers::pi * (double(ky * y) / ny + double(kx * x) / nx));
  return std::norm(sum) / (double(ny) * ny * nx * nx);
}

double mean_square(const List& a) {
  double sum = 0.0;
  for (const double value : a) sum += value * value;
  return sum / static_cast<double>(a.size());
}

TEST(Spectrum, of_lines_of_any_length) {
  for (const int n : {1, 2, 3, 4, 7, 12, 13, 30, 64, 97}) {
    SCOPED_TRACE(n);
    Random random(9);
    const Dims x = {{"x", n, true}};
    const Array a = random_array({x, std::nullopt}, Kind::smooth, random);
    List expected;
    for (int k = 0; k <= n / 2; ++k)
      expected.push_back(power(a.values, 1, n, 0, k) * (k == 0 || 2 * k == n ? 1.0 : 2.0));
    const List got = result_of("spectrum", call_of({x}, {"x"}), {a});
    expect_values(got, expected, 1e-13);
    double total = 0.0;
    for (const double p : got) total += p;
    EXPECT_NEAR(total, mean_square(a.values), 1e-12);
  }
}

TEST(Spectrum, of_each_line_along_an_inner_dimension) {
  const Dims yx = {{"y", 6, true}, {"x", 3, true}};
  List values;
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 3; ++x) values.push_back(x + std::cos(2.0 * std::numbers::pi * x * y / 6.0));
  const Call call = call_of({yx}, {"y"}, {{"dim", "k"}});
  EXPECT_EQ(dims_of(shape_of("spectrum", call)), "x:3 k:4");
  // x = 0: the constant 1; x = 1: 1 + cos k=1; x = 2: 2 + cos k=2, whose square has the mean 1/2.
  expect_values(result_of("spectrum", call, {array_of(yx, values)}), {1, 0, 0, 0, 1, 0.5, 0, 0, 4, 0, 0.5, 0},
                1e-14);
}

List naive_rings(const List& a, int ny, int nx, double dy, double dx) {
  const double longest = std::max(ny * dy, nx * dx);
  List rings;
  for (int ky = -((ny - 1) / 2); ky <= ny / 2; ++ky)
    for (int kx = -((nx - 1) / 2); kx <= nx / 2; ++kx) {
      const double k = std::hypot(ky / (ny * dy), kx / (nx * dx)) * longest;
      const auto ring = static_cast<std::size_t>(std::floor(k + 0.5));
      if (rings.size() <= ring) rings.resize(ring + 1, 0.0);
      rings[ring] += power(a, ny, nx, ky, kx);
    }
  return rings;
}

TEST(Spectrum, in_rings) {
  Random random(10);
  for (const auto& [ny, nx, dy, dx] : {std::tuple{8, 8, 1.0, 1.0}, {5, 12, 1.0, 1.0}, {6, 4, 100.0, 250.0}}) {
    const Dims yx = {{"y", ny, true}, {"x", nx, true}};
    const Array a = random_array({yx, std::nullopt}, Kind::smooth, random);
    const List expected = naive_rings(a.values, ny, nx, dy, dx);
    expect_values(result_of("spectrum", call_of({yx}, {"y", "x"}, {{"spacing", List{dy, dx}}}), {a}),
                  expected, 1e-13);
    expect_values(result_of("spectrum", call_of({yx}, {"x", "y"}, {{"spacing", List{dx, dy}}}), {a}),
                  expected, 1e-13);
    double total = 0.0;
    for (const double p : expected) total += p;
    EXPECT_NEAR(total, mean_square(a.values), 1e-12);
  }
}

TEST(Spectrum, of_missing_values_is_missing) {
  const Dims x = {{"x", 4, true}};
  const double nan = std::nan("");
  expect_values(result_of("spectrum", call_of({x}, {"x"}), {array_of(x, {1, nan, 2, 3})}), {nan, nan, nan});
}

TEST(Spectrum, says_what_is_wrong) {
  const Dims zyx = {{"z", 2, true}, {"y", 2, true}, {"x", 2, true}};
  EXPECT_THAT(problem_of("spectrum", call_of({zyx})), HasSubstr("takes one or two dimensions"));
  EXPECT_THAT(problem_of("spectrum", call_of({zyx}, {"x", "y", "z"})),
              HasSubstr("takes one or two dimensions"));
  EXPECT_THAT(problem_of("spectrum", call_of({zyx}, {"x", "y"}, {{"spacing", List{1, 0}}})),
              HasSubstr("above 0"));
  EXPECT_THAT(problem_of("spectrum", call_of({zyx}, {"x"}, {{"spacing", List{1, 1}}})),
              HasSubstr("two dimensions"));
}

}  // namespace
}  // namespace tailrace::analytics
