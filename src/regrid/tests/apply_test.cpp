#include "regrid/apply.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "analytics/simd/level.hpp"
#include "base/error.hpp"
#include "regrid/simd/sums.hpp"

namespace tailrace::regrid {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

LocalRows random_rows(std::int64_t rows, std::int32_t cells, std::mt19937_64& random, bool is_prepared) {
  LocalRows made;
  made.start.push_back(0);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto links = static_cast<std::int32_t>(random() % 8);  // some rows are empty
    const auto first = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(cells - 8));
    double rest = row % 5 == 0 ? 0.7 : 1.0;  // at the edge of a regional grid
    for (std::int32_t link = 0; link < links; ++link) {
      const double weight = link + 1 == links ? rest : rest * 0.3;
      rest -= weight;
      made.source.push_back(first + link);
      made.weight.push_back(weight);
    }
    made.start.push_back(static_cast<std::int64_t>(made.source.size()));
  }
  if (is_prepared) made.prepare();
  return made;
}

// Arrays with a few values more than are needed between levels.
template <class Value>
struct Case {
  LocalRows rows;
  std::int64_t levels, cells;
  std::vector<Value> from, to;
  std::vector<double> fraction;

  Case(std::int64_t row_count, std::int64_t level_count, unsigned seed, bool is_prepared = true,
       std::int64_t source_cells = 97)
      : levels(level_count), cells(source_cells) {
    std::mt19937_64 random(seed);
    rows = random_rows(row_count, static_cast<std::int32_t>(cells), random, is_prepared);
    from.resize(static_cast<std::size_t>(levels * source_stride()));
    for (Value& value : from)
      value = static_cast<Value>(static_cast<double>(random() % 20001) / 7.0 - 1000.0);
    to.assign(static_cast<std::size_t>(levels * target_stride()), Value{77});
    fraction.assign(to.size(), 77.0);
  }

  std::int64_t source_stride() const { return cells + 3; }
  std::int64_t target_stride() const { return rows.rows() + 5; }

  void punch(Value missing, unsigned seed) {
    std::mt19937_64 random(seed);
    for (Value& value : from)
      if (random() % 3 == 0) value = missing;
  }

  Arrays arrays(std::optional<model::FillValue> missing, model::FillValue fill) {
    Arrays made;
    made.type = model::data_type_of<Value>();
    made.from = std::as_bytes(std::span(from));
    made.to = std::as_writable_bytes(std::span(to));
    made.fraction = fraction;
    made.levels = levels;
    made.source_stride = source_stride();
    made.target_stride = target_stride();
    made.missing = missing;
    made.fill = fill;
    return made;
  }
};

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// As the header says it, one number after the other.
template <class Value>
void expect_sums(const Case<Value>& done, const Rule& rule, std::optional<Value> missing, Value fill) {
  for (std::int64_t level = 0; level < done.levels; ++level)
    for (std::int64_t row = 0; row < done.rows.rows(); ++row) {
      double sum = 0.0, share = 0.0;
      for (auto link = done.rows.start[static_cast<std::size_t>(row)];
           link < done.rows.start[static_cast<std::size_t>(row) + 1]; ++link) {
        const auto at = static_cast<std::size_t>(link);
        const Value value =
            done.from[static_cast<std::size_t>(level * done.source_stride() + done.rows.source[at])];
        if (missing && (value == *missing || (std::isnan(*missing) && std::isnan(value)))) continue;
        const double product = done.rows.weight[at] * static_cast<double>(value);
        sum = sum + product;
        share = share + done.rows.weight[at];
      }
      double expected = rule.normalisation == Normalisation::fracarea ? sum * (1.0 / share) : sum;
      if (share == 0.0 || share < rule.coverage - 1e-6)
        expected = static_cast<double>(missing.value_or(fill));
      const auto target = static_cast<std::size_t>(level * done.target_stride() + row);
      ASSERT_TRUE(
          same_bits(static_cast<double>(done.to[target]), static_cast<double>(static_cast<Value>(expected))))
          << "level " << level << " row " << row << ": " << done.to[target] << " instead of " << expected;
      ASSERT_TRUE(same_bits(done.fraction[target], share));
    }
}

template <class Value>
class Sums : public testing::Test {};
using Floating = testing::Types<float, double>;
TYPED_TEST_SUITE(Sums, Floating);

TYPED_TEST(Sums, AreThoseOfAPlainLoop) {
  for (const std::int64_t levels : {1, 2, 7, 8, 9, 16, 29})
    for (const Normalisation normalisation : {Normalisation::fracarea, Normalisation::destarea})
      for (const double coverage : {0.0, 0.5, 1.0}) {
        const Rule rule{Method::conservative, coverage, normalisation};
        Case<TypeParam> one(1100, levels, static_cast<unsigned>(levels));
        apply(one.rows, rule, one.arrays(std::nullopt, -1.0), 0, one.rows.rows());
        expect_sums(one, rule, {}, TypeParam{-1});
        one.punch(TypeParam{-999}, 3);
        apply(one.rows, rule, one.arrays(-999.0, -1.0), 0, one.rows.rows());
        expect_sums(one, rule, std::optional(TypeParam{-999}), TypeParam{-1});
        one.punch(static_cast<TypeParam>(nan), 4);
        apply(one.rows, rule, one.arrays(nan, -1.0), 0, one.rows.rows());
        expect_sums(one, rule, std::optional(static_cast<TypeParam>(nan)), TypeParam{-1});
      }
}

// Tiles of which cells are fetched together, tiles of too many cells, and rows that are not prepared.
TYPED_TEST(Sums, DoNotDependOnPreparation) {
  for (const std::int64_t cells : {40, 300, 5000, 1'000'000}) {
    Case<TypeParam> prepared(1000, 17, 6, true, cells), plain(1000, 17, 6, false, cells);
    EXPECT_EQ(prepared.rows.cells.empty(), cells > 300);
    EXPECT_TRUE(plain.rows.order.empty());
    apply(prepared.rows, {}, prepared.arrays({}, nan), 0, 1000);
    apply(plain.rows, {}, plain.arrays({}, nan), 0, 1000);
    EXPECT_EQ(std::memcmp(prepared.to.data(), plain.to.data(), plain.to.size() * sizeof(TypeParam)), 0)
        << cells;
    expect_sums(plain, {}, {}, static_cast<TypeParam>(nan));
  }
}

TYPED_TEST(Sums, OfPartsOfTheRowsAreTheSame) {
  const Rule rule;
  Case<TypeParam> whole(1500, 19, 2), parts(1500, 19, 2);
  apply(whole.rows, rule, whole.arrays({}, nan), 0, 1500);
  for (const auto& [begin, end] : {std::pair{0, 1}, {1, 77}, {77, 77}, {77, 1030}, {1030, 1500}})
    apply(parts.rows, rule, parts.arrays({}, nan), begin, end);
  EXPECT_EQ(std::memcmp(whole.to.data(), parts.to.data(), whole.to.size() * sizeof(TypeParam)), 0);
}

TYPED_TEST(Sums, OfAllInstructionSetsAreTheSame) {
  using analytics::simd::Level;
  std::vector<const simd::Table*> tables{&simd::portable_sums()};
#if defined(__x86_64__)
  if (supported(Level::avx2)) tables.push_back(&simd::avx2_sums());
  if (supported(Level::avx512)) tables.push_back(&simd::avx512_sums());
#endif
  for (const auto validity :
       {simd::Validity::all, simd::Validity::unless_equal, simd::Validity::unless_nan}) {
    std::vector<std::vector<TypeParam>> results;
    std::vector<std::vector<double>> fractions;
    for (const simd::Table* table : tables) {
      Case<TypeParam> one(777, 13, 9);
      if (validity != simd::Validity::all)
        one.punch(validity == simd::Validity::unless_nan ? static_cast<TypeParam>(nan) : TypeParam{-999}, 1);
      simd::Sums<TypeParam> sums;
      sums.start = one.rows.start.data();
      sums.source = one.rows.source.data();
      sums.weight = one.rows.weight.data();
      sums.rows = one.rows.rows();
      sums.order = one.rows.order.data();
      sums.slot = one.rows.slot.data();
      sums.tile_start = one.rows.tile_start.data();
      sums.cells = one.rows.cells.data();
      sums.from = one.from.data();
      sums.to = one.to.data();
      sums.fraction = one.fraction.data();
      sums.levels = one.levels;
      sums.source_stride = one.source_stride();
      sums.target_stride = one.target_stride();
      sums.validity = validity;
      sums.missing = sums.fill = TypeParam{-999};
      sums.least = 0.4;
      if constexpr (std::is_same_v<TypeParam, float>)
        table->float32(sums, 0, one.rows.rows());
      else
        table->float64(sums, 0, one.rows.rows());
      results.push_back(one.to);
      fractions.push_back(one.fraction);
    }
    for (std::size_t t = 1; t < tables.size(); ++t) {
      EXPECT_EQ(std::memcmp(results[t].data(), results[0].data(), results[0].size() * sizeof(TypeParam)), 0)
          << t;
      EXPECT_EQ(fractions[t], fractions[0]) << t;
    }
  }
}

TYPED_TEST(Sums, OfAConstantAreTheConstant) {
  for (const std::int64_t levels : {1, 8}) {
    Case<TypeParam> one(1000, levels, 11);
    std::ranges::fill(one.from, TypeParam{287.25});
    apply(one.rows, {Method::conservative, 0.0, Normalisation::fracarea}, one.arrays({}, nan), 0, 1000);
    for (std::int64_t row = 0; row < 1000; ++row) {
      const auto at = static_cast<std::size_t>(row);
      if (one.rows.start[at] == one.rows.start[at + 1])
        EXPECT_TRUE(std::isnan(one.to[at]));
      else
        EXPECT_NEAR(static_cast<double>(one.to[at]), 287.25, 287.25 * 1e-15);
    }
  }
}

TYPED_TEST(Sums, TakeNaNForAValueUnlessItMarksMissingOnes) {
  Case<TypeParam> one(50, 8, 3);
  std::ranges::fill(one.from, static_cast<TypeParam>(nan));
  apply(one.rows, {Method::conservative, 0.0, Normalisation::destarea}, one.arrays(-5.0, -5.0), 0, 50);
  for (std::size_t row = 0; row < 50; ++row)
    EXPECT_EQ(std::isnan(one.to[row]), one.rows.start[row] < one.rows.start[row + 1]);
}

TYPED_TEST(Sums, NeedNoFraction) {
  Case<TypeParam> one(600, 9, 3), other(600, 9, 3);
  Arrays arrays = one.arrays({}, nan);
  arrays.fraction = {};
  apply(one.rows, {}, arrays, 0, 600);
  apply(other.rows, {}, other.arrays({}, nan), 0, 600);
  EXPECT_EQ(std::memcmp(one.to.data(), other.to.data(), one.to.size() * sizeof(TypeParam)), 0);
  EXPECT_EQ(one.fraction, std::vector<double>(one.fraction.size(), 77.0));
}

LocalRows row_of(std::vector<std::int32_t> source, std::vector<double> weight) {
  LocalRows made;
  made.start = {0, static_cast<std::int64_t>(source.size())};
  made.source = std::move(source);
  made.weight = std::move(weight);
  return made;
}

template <class Value>
Value chosen(Method method, double coverage, std::vector<double> weight, std::vector<Value> from,
             std::optional<Value> missing) {
  std::vector<std::int32_t> source;
  for (std::size_t i = 0; i < from.size(); ++i) source.push_back(static_cast<std::int32_t>(i));
  std::vector<Value> to{Value{55}};
  Arrays arrays;
  arrays.type = model::data_type_of<Value>();
  arrays.from = std::as_bytes(std::span(from));
  arrays.to = std::as_writable_bytes(std::span(to));
  arrays.source_stride = static_cast<std::int64_t>(from.size());
  arrays.target_stride = 1;
  if (missing) arrays.missing = model::FillValue(static_cast<double>(*missing));
  arrays.fill = -1.0;
  apply(row_of(source, std::move(weight)), {method, coverage, Normalisation::fracarea}, arrays, 0, 1);
  return to[0];
}

TEST(LargestArea, SumsTheWeightsOfEqualValues) {
  const auto take = [](std::vector<std::int32_t> from, double coverage = 0.5) {
    return chosen<std::int32_t>(Method::largest_area, coverage, {0.3, 0.4, 0.2, 0.1}, std::move(from), -9);
  };
  EXPECT_EQ(take({1, 2, 1, 3}), 1);  // 0.5 against 0.4
  EXPECT_EQ(take({1, 2, 3, 3}), 2);
  EXPECT_EQ(take({1, 2, -9, -9}), 2);    // 0.7 is valid
  EXPECT_EQ(take({1, -9, -9, -9}), -9);  // 0.3 is not enough
  EXPECT_EQ(take({1, -9, -9, -9}, 0.3), 1);
  EXPECT_EQ(take({-9, -9, -9, -9}, 0.0), -9);
}

TEST(LargestArea, TakesTheFirstOfEqualOnes) {
  EXPECT_EQ(chosen<std::int64_t>(Method::largest_area, 0.5, {0.25, 0.25, 0.25, 0.25}, {8, 3, 3, 8}, {}), 8);
}

TEST(Nearest, KeepsEveryBitOfAWholeNumber) {
  const std::int64_t large = (std::int64_t{1} << 53) + 1;  // no double
  EXPECT_EQ(chosen<std::int64_t>(Method::nearest, 0.5, {1.0}, {large}, {}), large);
  EXPECT_EQ(chosen<float>(Method::nearest, 0.5, {1.0}, {0.1f}, {}), 0.1f);
}

TEST(Nearest, IsMissingWhereItsSourceIs) {
  EXPECT_EQ(chosen<std::int32_t>(Method::nearest, 0.5, {1.0}, {-9}, -9), -9);
  EXPECT_EQ(chosen<std::int32_t>(Method::nearest, 0.5, {}, {}, {}), -1);  // no link: the fill value
  EXPECT_TRUE(std::isnan(chosen<double>(Method::nearest, 0.5, {1.0}, {nan}, nan)));
}

TEST(Apply, OfIntegersTakesTheOnlyLink) {
  EXPECT_EQ(chosen<std::int32_t>(Method::file, 0.5, {1.0}, {42}, {}), 42);
}

TEST(Apply, ChecksTheRoomForTheResult) {
  Case<double> one(10, 3, 1);
  one.to.resize(20);
  EXPECT_THROW(apply(one.rows, {}, one.arrays({}, nan), 0, 10), Error);
  EXPECT_THROW(apply(one.rows, {}, one.arrays({}, nan), 0, 11), Error);
}

}  // namespace
}  // namespace tailrace::regrid
