#include "analytics/simd/row_kernels.hpp"

#include <gtest/gtest.h>

#include <random>

#include "analytics/program/tests/program_graphs.hpp"

namespace tailrace::analytics::simd {
namespace {

using namespace program_graphs;

TEST(RowKernels, ExtremesAreThoseOfAnyOrder) {
  std::mt19937_64 random(1);
  for (const auto level : levels()) {
    const simd::Kernels& kernels = simd::kernels(level);
    for (std::size_t n = 0; n < 200; ++n) {
      std::vector<double> values(n), low(n, 1.0), high(n, 1.0);
      double lowest = infinity, highest = -infinity;
      std::size_t missing = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double choices[] = {
            nan, 0.0, -0.0, infinity, -infinity, 3.0, static_cast<double>(random() % 1000) - 400};
        values[i] = choices[random() % (n % 3 == 0 ? 7 : n % 3 == 1 ? 3 : 6)];
        if (std::isnan(values[i])) {
          ++missing;
          continue;
        }
        lowest = std::min(lowest, values[i]) + 0.0;
        highest = std::max(highest, values[i]) + 0.0;
      }
      EXPECT_TRUE(same(kernels.row_min(values.data(), n).value, lowest));
      EXPECT_TRUE(same(kernels.row_max(values.data(), n).value, highest));
      EXPECT_EQ(kernels.row_min(values.data(), n).missing, missing);
      EXPECT_EQ(kernels.row_max(values.data(), n).missing, missing);
      kernels.cells_min(low.data(), values.data(), n);
      kernels.cells_max(high.data(), values.data(), n);
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_TRUE(same(low[i], std::isnan(values[i]) ? 1.0 : std::min(1.0, values[i]) + 0.0));
        EXPECT_TRUE(same(high[i], std::isnan(values[i]) ? 1.0 : std::max(1.0, values[i])));
      }
    }
  }
}

TEST(RowKernels, TheBestLevelIsUsed) {
  const std::vector<double> values{3.0, nan, -0.0, 7.0};
  EXPECT_TRUE(same(row_min(values).value, 0.0));
  EXPECT_EQ(row_max(values).value, 7.0);
  EXPECT_EQ(row_max(values).missing, 1U);
  std::vector<double> cells(4, 1.0);
  cells_min(cells, values);
  EXPECT_EQ(cells, (std::vector<double>{1, 1, 0, 1}));
  cells_max(cells, values);
  EXPECT_EQ(cells, (std::vector<double>{3, 1, 0, 7}));
}

}  // namespace
}  // namespace tailrace::analytics::simd
