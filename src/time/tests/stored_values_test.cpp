#include "time/stored_values.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "time/accumulator.hpp"

namespace tailrace::time {
namespace {

using model::DataType;
using ::testing::ElementsAre;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
struct Outcome {
  std::vector<T> numbers;
  Lost lost;
};

// One byte off any alignment.
template <class T>
Outcome<T> stored(const Stored& how, const std::vector<double>& values, std::vector<int> missing = {}) {
  std::array<bool, 64> valid;
  for (std::size_t i = 0; i < values.size(); ++i)
    valid[i] = std::ranges::count(missing, static_cast<int>(i)) == 0;
  std::vector<std::byte> bytes(1 + values.size() * sizeof(T));
  Outcome<T> outcome{std::vector<T>(values.size()), {}};
  outcome.lost = store(how, values, std::span<const bool>(valid).first(values.size()), bytes.data() + 1);
  std::memcpy(outcome.numbers.data(), bytes.data() + 1, values.size() * sizeof(T));
  return outcome;
}

TEST(StoredValues, round_to_the_nearest_and_never_wrap) {
  const auto shorts =
      stored<std::int16_t>(DataType::int16, {1.5, 2.5, -1.6, 32767.4, 32767.6, -32768.4, 1e300, nan, -inf});
  EXPECT_THAT(shorts.numbers, ElementsAre(2, 2, -2, 32767, -32767, -32768, -32767, -32767, -32767));
  EXPECT_EQ(shorts.lost.values, 3U);
  EXPECT_EQ(shorts.lost.first, 32767.6);
  const auto bytes = stored<std::uint8_t>(DataType::uint8, {-0.4, -0.6, 254.4, 255.0, 256.0, 300.0});
  EXPECT_THAT(bytes.numbers, ElementsAre(0, 255, 254, 255, 255, 255));
  EXPECT_EQ(bytes.lost.values, 4U) << "255 reads as missing";
  EXPECT_THAT(stored<std::int8_t>(DataType::int8, {-128.0, 127.0, 128.0}).numbers,
              ElementsAre(-128, 127, -127));
  const double end = std::ldexp(1.0, 63);
  const auto wide = stored<std::int64_t>({DataType::int64, -5.0}, {std::nextafter(end, 0.0), end, -5.0});
  EXPECT_THAT(wide.numbers, ElementsAre(INT64_MAX - 1023, -5, -5));
  EXPECT_EQ(wide.lost.values, 2U);
}

TEST(StoredValues, keep_what_is_missing_apart) {
  const Stored how{DataType::int16, -999.0};
  const auto kept = stored<std::int16_t>(how, {7.0, 1e9, nan}, {1});
  EXPECT_THAT(kept.numbers, ElementsAre(7, -999, -999));
  EXPECT_EQ(kept.lost.values, 0U) << "a missing value and NaN are no loss";
  EXPECT_EQ(stored<std::int16_t>(how, {-999.3}).lost.values, 1U) << "it would read as missing";
}

TEST(StoredValues, floats_that_would_become_infinite_are_lost) {
  const double most = std::numeric_limits<float>::max();
  const auto kept = stored<float>({DataType::float32, -1.0}, {most, 2 * most, -1e300, inf, nan, 0.1}, {5});
  EXPECT_EQ(kept.lost.values, 2U);
  EXPECT_EQ(kept.numbers[0], std::numeric_limits<float>::max());
  EXPECT_EQ(kept.numbers[1], -1.0F);
  EXPECT_EQ(kept.numbers[2], -1.0F);
  EXPECT_TRUE(std::isinf(kept.numbers[3]) && std::isnan(kept.numbers[4]));
  EXPECT_EQ(kept.numbers[5], -1.0F);
}

TEST(StoredValues, that_equal_the_fill_value_are_lost) {
  const auto kept = stored<float>({DataType::float32, -9999.0}, {-9999.0, 7.0, -9999.0, -9999.0001}, {2});
  EXPECT_EQ(kept.lost.values, 2U) << "the last one becomes it in float32";
  EXPECT_EQ(kept.lost.first, -9999.0);
  EXPECT_EQ(stored<float>({DataType::float32, nan}, {nan, 7.0}).lost.values, 0U);
  const Stored whole{DataType::int64};
  EXPECT_EQ(stored<std::int64_t>(whole, {-0x1p63}).lost.values, 0U) << "the default is another number";
  EXPECT_EQ(stored<std::int64_t>(whole, {nan}).numbers[0], -9223372036854775806LL);
}

TEST(StoredValues, are_counted_by_accumulators_too) {
  for (const DataType type : {DataType::float64, DataType::float32}) {
    const auto mean = make_accumulator(ReductionKind::mean, DataType::float64, {type, -9999.0}, 3);
    const std::vector<double> low{-10000.0, 1.0, -9999.0}, high{-9998.0, 1.0, -9999.0};
    mean->combine(std::as_bytes(std::span(low)), 1.0);
    mean->combine(std::as_bytes(std::span(high)), 1.0);
    std::vector<std::byte> record(3 * model::size_of(type));
    const Lost lost = mean->finish(record);
    EXPECT_EQ(lost.values, 2U);
    EXPECT_EQ(lost.first, -9999.0);
  }
  const auto least = make_accumulator(ReductionKind::min, DataType::int32, {DataType::int32, 0.0}, 2);
  const std::vector<std::int32_t> numbers{0, 5};
  least->combine(std::as_bytes(std::span(numbers)), 1.0);
  std::vector<std::byte> record(8);
  EXPECT_EQ(least->finish(record).values, 1U);
}

TEST(StoredValues, come_back_within_half_a_scale_factor) {
  const model::Packing packing{.scale_factor = 0.01, .add_offset = 250.0};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> some(250.0 - 327.6, 250.0 + 327.6);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> values(23);
    for (double& value : values) value = some(random);
    const auto packed = stored<std::int16_t>({DataType::int16, -32767.0, packing}, values);
    EXPECT_EQ(packed.lost.values, 0U);
    for (std::size_t i = 0; i < values.size(); ++i)
      EXPECT_NEAR(packed.numbers[i] * 0.01 + 250.0, values[i], 0.005 + 1e-12);
  }
  const auto beyond =
      stored<std::int16_t>({DataType::int16, -32767.0, packing}, {250.0 + 327.68, 250.0 - 327.67});
  EXPECT_THAT(beyond.numbers, ElementsAre(-32767, -32767));
  EXPECT_EQ(beyond.lost.values, 2U) << "the second would be the fill value";
}

// More than one batch, missing cells, and reductions whose sums outgrow the type.
TEST(StoredValues, are_what_accumulators_write) {
  constexpr std::size_t cells = 1300;
  const Stored how{DataType::uint8, 255.0, model::Packing{.scale_factor = 0.5, .add_offset = -10.0}};
  const auto mean =
      make_accumulator(ReductionKind::mean, DataType::float32, how, cells, Missing{.fill = -1.0});
  std::vector<float> values(cells);
  for (std::size_t i = 0; i < cells; ++i) values[i] = i % 7 == 3 ? -1.0F : static_cast<float>(i % 141);
  mean->combine(std::as_bytes(std::span(values)), 2.0);
  std::vector<std::uint8_t> record(cells);
  const Lost lost = mean->finish(std::as_writable_bytes(std::span(record)));
  std::uint64_t beyond = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const int number = static_cast<int>(i % 141) * 2 + 20;
    const bool missing = i % 7 == 3;
    beyond += !missing && number > 254;
    EXPECT_EQ(record[i], missing || number > 254 ? 255 : number) << i;
  }
  EXPECT_EQ(lost.values, beyond);
  EXPECT_EQ(lost.first, 118.0);
  const auto sum = make_accumulator(ReductionKind::sum, DataType::int32, DataType::int32, 1);
  for (const std::int32_t value : {INT32_MAX, 1}) sum->combine(std::as_bytes(std::span(&value, 1)), 1.0);
  std::int32_t total = 0;
  EXPECT_EQ(sum->finish(std::as_writable_bytes(std::span(&total, 1))).values, 1U);
  EXPECT_EQ(total, -2147483647);
}

}  // namespace
}  // namespace tailrace::time
