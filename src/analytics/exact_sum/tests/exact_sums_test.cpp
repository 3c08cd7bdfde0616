#include "analytics/exact_sum/exact_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "tailrace/error.hpp"

namespace tailrace::analytics::exact_sum {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<simd::Level> levels() {
  std::vector<simd::Level> got;
  for (const auto level : {simd::Level::portable, simd::Level::avx2, simd::Level::avx512})
    if (simd::supported(level)) got.push_back(level);
  return got;
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// The exact sum, rounded once, by Shewchuk's expansions of non-overlapping parts, as in Python's math.fsum.
double rounded_exactly(std::span<const double> values) {
  std::vector<double> parts;
  for (double x : values) {
    std::size_t kept = 0;
    for (double y : parts) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y, low = y - (high - x);
      if (low != 0) parts[kept++] = low;
      x = high;
    }
    parts.resize(kept);
    parts.push_back(x);
  }
  if (parts.empty()) return 0.0;
  double high = parts.back(), low = 0.0;
  parts.pop_back();
  while (!parts.empty() && low == 0.0) {
    const double x = high, y = parts.back();
    parts.pop_back();
    high = x + y;
    low = y - (high - x);
  }
  // A tie is broken by the lower parts.
  if (!parts.empty() && ((low < 0) == (parts.back() < 0))) {
    const double twice = low * 2, x = high + twice;
    if (twice == x - high) high = x;
  }
  return high;
}

std::vector<double> draw(std::mt19937_64& random, std::size_t n, int lowest_exponent, int highest_exponent) {
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::uniform_int_distribution<int> exponent(lowest_exponent, highest_exponent);
  std::vector<double> values(n);
  for (double& value : values) value = std::ldexp(mantissa(random), exponent(random));
  return values;
}

double sum_of(std::span<const double> values, simd::Level level = simd::Level::portable) {
  ExactSums sums(1, level);
  sums.add(0, values);
  double result = -1.0;
  sums.results({&result, 1});
  return result;
}

double only_result(const ExactSums& sums) {
  double result = -1.0;
  sums.results({&result, 1});
  return result;
}

TEST(ExactSums, NothingAndZerosArePositiveZero) {
  EXPECT_EQ(bits(sum_of({})), bits(0.0));
  const std::vector<double> zeros(100, -0.0);
  for (const auto level : levels()) {
    EXPECT_EQ(bits(sum_of(zeros, level)), bits(0.0));
    EXPECT_EQ(bits(sum_of(std::span(zeros).first(1), level)), bits(0.0));
  }
  const double opposite[] = {1e300, 3.0, -1e300, -3.0};
  EXPECT_EQ(bits(sum_of(opposite)), bits(0.0));
}

// Values whose bits are all within the three bins are summed exactly.
TEST(ExactSums, AgreeWithTheExactSumWhereNoBitIsDropped) {
  std::mt19937_64 random(1);
  for (const int n : {1, 2, 3, 7, 12, 13, 64, 1000, 4095, 4097, 20000}) {
    for (const int exponent : {-1048, -1000, -950, -300, -41, 0, 39, 40, 300, 980}) {
      const auto values = draw(random, static_cast<std::size_t>(n), exponent - 26, exponent);
      for (const auto level : levels())
        EXPECT_EQ(sum_of(values, level), rounded_exactly(values)) << n << " values around 2^" << exponent;
    }
  }
}

TEST(ExactSums, StayWithinTheirBoundWhereBitsAreDropped) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    auto values = draw(random, 500, -120, 20);
    if (round % 2) {  // cancels except for small parts
      const auto half = values.size() / 2;
      for (std::size_t i = 0; i < half; ++i) values[half + i] = -values[i] * (1 + 0x1p-50 * (i % 3 == 0));
    }
    double largest = 0.0;
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    const double exact = rounded_exactly(values), got = sum_of(values);
    const double bound = static_cast<double>(values.size()) * 0x1p-80 * largest;
    EXPECT_LE(std::fabs(got - exact), bound + DBL_EPSILON * std::fabs(exact)) << got << " is not " << exact;
  }
}

TEST(ExactSums, RoundOnceHalvesToEven) {
  const double half = 0x1p-53;
  const std::vector<std::pair<std::vector<double>, double>> cases{
      {{1.0, half}, 1.0},
      {{1.0, half, half * 0x1p-20}, 1.0 + 2 * half},
      {{1.0, half, -half * 0x1p-20}, 1.0},
      {{1.0 + 2 * half, half}, 1.0 + 4 * half},
      {{-1.0, -half}, -1.0},
      {{-1.0, -half, -half * 0x1p-20}, -1.0 - 2 * half},
      {{0x1p53, 1.0}, 0x1p53},
      {{0x1p53, 1.0, 0x1p-20}, 0x1p53 + 2},
      {{0x1p53 + 2, 1.0}, 0x1p53 + 4},
      {{1.0, -half / 2}, 1.0},
      {{1.0, -half}, 1.0 - half},
      {{1e16, 1.0, 1.0}, 1e16 + 2.0},
      {{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, 5.5},
  };
  for (const auto& [values, expected] : cases)
    EXPECT_EQ(sum_of(values), expected) << ::testing::PrintToString(values);
}

// Few bits that are far apart, so that ties and near ties are frequent.
TEST(ExactSums, RoundOnceForAnyBits) {
  std::mt19937_64 random(23);
  const auto any = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 200000; ++round) {
    const int exponent = any(-800, 800);
    std::vector<double> values{std::ldexp(static_cast<double>(any(-9, 9)), exponent)};
    for (int i = any(1, 4); i > 0; --i)
      values.push_back(
          std::ldexp(static_cast<double>(any(-3, 3)), exponent - any(45, 60) * (i > 2 ? 1 : 0) - any(0, 8)));
    values.push_back(std::ldexp(static_cast<double>(any(-1, 1)), exponent - any(50, 75)));
    const double expected = rounded_exactly(values);
    EXPECT_EQ(sum_of(values), expected) << ::testing::PrintToString(values);
    ExactSums each(1);
    for (const double value : values) each.add_each(0, {&value, 1});
    EXPECT_EQ(only_result(each), expected) << ::testing::PrintToString(values);
  }
}

TEST(ExactSums, TheSmallestAndTheLargestNumbers) {
  const double tiny = DBL_TRUE_MIN;
  const std::vector<double> denormals{tiny, tiny, 5 * tiny, -tiny, DBL_MIN, -DBL_MIN / 2};
  EXPECT_EQ(sum_of(denormals), DBL_MIN / 2 + 6 * tiny);
  const double mixed[] = {1.0, tiny, -1.0};
  EXPECT_EQ(sum_of(mixed), 0.0);  // 2^-1074 is below the bins of 1
  for (const auto level : levels()) {
    std::vector<double> great(1000, DBL_MAX);
    for (std::size_t i = 500; i < 1000; ++i) great[i] = -DBL_MAX;
    EXPECT_EQ(sum_of(great, level), 0.0);  // intermediate values exceed the largest double
    great.push_back(DBL_MAX);
    EXPECT_EQ(sum_of(great, level), DBL_MAX);
    great.push_back(0x1p960);
    EXPECT_EQ(sum_of(great, level), DBL_MAX);
    great.push_back(DBL_MAX);
    EXPECT_EQ(sum_of(great, level), infinity);
    great.resize(1000);
    great[3] = 0x1p1004;  // just below the highest bins
    EXPECT_EQ(sum_of(great, level), rounded_exactly(std::vector<double>{0x1p1004, -DBL_MAX}));
  }
}

TEST(ExactSums, NanAndInfinitiesAsAdditionGives) {
  for (const auto level : levels())
    for (const std::size_t n : {3U, 30U, 5000U}) {
      const auto with = [&](std::vector<double> first) {
        first.resize(n, 1.5);
        std::mt19937_64 random(n);
        std::shuffle(first.begin(), first.end(), random);
        ExactSums each(3, level), one(1, level);
        for (const double value : first) each.add_each(1, {&value, 1});
        one.add(0, first);
        double results[3];
        each.results(results);
        EXPECT_EQ(bits(results[1]), bits(only_result(one)));
        return results[1];
      };
      EXPECT_EQ(with({infinity}), infinity);
      EXPECT_EQ(with({-infinity, -infinity}), -infinity);
      EXPECT_EQ(with({infinity, 1e308}), infinity);
      EXPECT_EQ(bits(with({infinity, -infinity})), bits(nan));
      EXPECT_EQ(bits(with({nan})), bits(nan));
      EXPECT_EQ(bits(with({-nan, infinity})), bits(nan));
    }
}

// Distributes values at random over several objects, calls and merges.
std::vector<std::byte> shuffled(std::vector<double> values, std::mt19937_64& random) {
  std::shuffle(values.begin(), values.end(), random);
  const auto pick = [&](std::size_t below) { return random() % below; };
  const auto known = levels();
  std::vector<ExactSums> parts;
  for (std::size_t i = 0; i <= pick(4); ++i) parts.emplace_back(1, known[pick(known.size())]);
  std::span<const double> left(values);
  while (!left.empty()) {
    const std::size_t sizes[] = {1, 2, 11, 40, 3000, 9000};
    const auto some = left.first(std::min(left.size(), 1 + pick(sizes[pick(6)])));
    left = left.subspan(some.size());
    ExactSums& part = parts[pick(parts.size())];
    if (pick(3))
      part.add(0, some);
    else
      for (const double value : some) part.add_each(0, {&value, 1});
  }
  while (parts.size() > 1) {
    const std::size_t into = pick(parts.size() - 1);
    if (pick(2))
      parts[into].merge(parts.back().to_bytes());
    else
      parts[into].merge(parts.back(), 0, 0, 1);
    parts.pop_back();
  }
  return parts.front().to_bytes();
}

void expect_same_whatever_the_order(const std::vector<double>& values, std::mt19937_64& random) {
  ExactSums whole(1, simd::Level::portable);
  whole.add(0, values);
  for (int round = 0; round < 20; ++round) ASSERT_EQ(shuffled(values, random), whole.to_bytes());
}

TEST(ExactSums, SameBitsForAnyOrderGroupingAndInstructions) {
  std::mt19937_64 random(3);
  for (const auto& [lowest, highest] : std::vector<std::pair<int, int>>{{-3, 0},
                                                                        {-60, 60},
                                                                        {-1074, 1024},
                                                                        {900, 1024},
                                                                        {-1074, -900},
                                                                        {-1074, -1040},
                                                                        {-45, -35},
                                                                        {995, 1010}})
    for (const std::size_t n : {2U, 5U, 100U, 10000U})
      expect_same_whatever_the_order(draw(random, n, lowest, highest), random);
}

// Numbers at and near the borders of bins, where carries and ties occur.
TEST(ExactSums, SameBitsAtTheBordersOfBins) {
  std::mt19937_64 random(4);
  std::vector<double> values;
  for (int exponent = -200; exponent <= 200; ++exponent)
    for (const double factor : {1.0, -1.0, 1.5, 1.0 + DBL_EPSILON, 1.0 - DBL_EPSILON / 2, 0x1.8000000001p0})
      values.push_back(std::ldexp(factor, exponent));
  expect_same_whatever_the_order(values, random);
  for (int round = 0; round < 300; ++round) {
    std::shuffle(values.begin(), values.end(), random);
    expect_same_whatever_the_order({values.begin(), values.begin() + 3 + round % 20}, random);
  }
}

TEST(ExactSums, ManyValuesOfOneSignLoseNoBit) {
  const double value = std::nextafter(0x1p39, 0.0);  // the largest digit of a bin
  const std::vector<double> row(200000, value);
  for (const auto level : levels()) {
    ExactSums sums(1, level), each(1, level);
    for (int round = 0; round < 5; ++round) sums.add(0, row);
    for (int i = 0; i < 1000000; ++i) each.add_each(0, {&value, 1});
    EXPECT_EQ(only_result(sums), 1e6 * value);
    EXPECT_EQ(sums.to_bytes(), each.to_bytes());
  }
}

TEST(ExactSums, EachCellIsASeparateSum) {
  std::mt19937_64 random(5);
  for (const auto level : levels()) {
    constexpr std::size_t cells = 300;
    std::vector<std::vector<double>> of_cell(cells);
    ExactSums sums(cells, level);
    for (int round = 0; round < 300; ++round) {
      const std::size_t first = random() % cells, count = random() % (cells - first + 1);
      auto values = draw(random, count, round < 150 ? -10 : -400, round < 150 ? 0 : 400);
      if (round == 200 && count) values[count / 2] = nan;
      sums.add_each(first, values);
      for (std::size_t i = 0; i < count; ++i) of_cell[first + i].push_back(values[i]);
      if (round % 7 == 0) {
        sums.add(first, values);
        of_cell[first].insert(of_cell[first].end(), values.begin(), values.end());
      }
    }
    std::vector<double> results(cells);
    sums.results(results);
    for (std::size_t cell = 0; cell < cells; ++cell)
      EXPECT_EQ(bits(results[cell]), bits(sum_of(of_cell[cell]))) << cell;
    sums.clear();
    sums.results(results);
    EXPECT_EQ(results, std::vector<double>(cells, 0.0));
    EXPECT_EQ(sums.to_bytes(), ExactSums(cells).to_bytes());
  }
}

TEST(ExactSums, MergePartOfAnother) {
  ExactSums from(3), into(5);
  const double values[] = {1.0, 2.0, 4.0}, before[] = {10.0, 20.0, 30.0, 40.0, 50.0};
  from.add_each(0, values);
  into.add_each(0, before);
  into.merge(from, 1, 3, 2);
  std::vector<double> results(5);
  into.results(results);
  EXPECT_EQ(results, (std::vector<double>{10, 20, 30, 42, 54}));
}

TEST(ExactSums, MergeOfAnotherSizeIsRejected) {
  ExactSums three(3), two(2);
  EXPECT_THROW(three.merge(two.to_bytes()), Error);
}

}  // namespace
}  // namespace tailrace::analytics::exact_sum
