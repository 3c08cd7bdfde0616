#include "time/accumulator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/error.hpp"

namespace tailrace::time {
namespace {

using model::DataType;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<ReductionKind> all_kinds{ReductionKind::snapshot, ReductionKind::mean, ReductionKind::min,
                                           ReductionKind::max,      ReductionKind::sum,  ReductionKind::std};

template <class T>
void add(Accumulator& accumulator, const std::vector<T>& sample, double weight = 1.0, double fraction = 1.0) {
  accumulator.combine(std::as_bytes(std::span<const T>(sample)), weight, fraction);
}

template <class T>
std::vector<T> result(Accumulator& accumulator, std::size_t size) {
  std::vector<T> record(size);
  accumulator.finish(std::as_writable_bytes(std::span<T>(record)));
  return record;
}

std::unique_ptr<Accumulator> doubles(ReductionKind kind, std::size_t size) {
  return make_accumulator(kind, DataType::float64, DataType::float64, size);
}

struct Series {
  std::vector<std::vector<double>> samples;
  std::vector<double> weights;
};

Series random_series(std::size_t count, std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> values(280.0, 310.0), weights(0.1, 7.0);
  Series series;
  for (std::size_t s = 0; s < count; ++s) {
    series.samples.emplace_back(size);
    for (double& value : series.samples.back()) value = values(random);
    series.weights.push_back(weights(random));
  }
  return series;
}

TEST(Accumulator, mean_weighs_by_the_length_of_steps) {
  const Series series = random_series(12, 50, 1);
  const auto mean = doubles(ReductionKind::mean, 50);
  for (std::size_t s = 0; s < 12; ++s) add(*mean, series.samples[s], series.weights[s]);
  const std::vector<double> means = result<double>(*mean, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    long double sum = 0.0L, weight = 0.0L;
    for (std::size_t s = 0; s < 12; ++s) {
      sum += static_cast<long double>(series.weights[s]) * series.samples[s][i];
      weight += series.weights[s];
    }
    EXPECT_NEAR(means[i] / static_cast<double>(sum / weight), 1.0, 1e-15);
  }
  EXPECT_TRUE(mean->empty());
}

TEST(Accumulator, std_keeps_its_digits_far_from_zero) {
  for (const double offset : {0.0, 1e6, 1e9}) {
    const auto deviation = doubles(ReductionKind::std, 1);
    const auto weights = std::vector<double>{1.0, 2.0, 0.5, 3.0};
    const auto values = std::vector<double>{1.0, -2.0, 4.0, 0.25};
    long double sum = 0, square = 0, total = 0;
    for (std::size_t s = 0; s < 4; ++s) {
      add(*deviation, std::vector<double>{offset + values[s]}, weights[s]);
      sum += weights[s] * static_cast<long double>(values[s]);
      square += weights[s] * static_cast<long double>(values[s]) * values[s];
      total += weights[s];
    }
    const auto expected = static_cast<double>(std::sqrt(square / total - (sum / total) * (sum / total)));
    EXPECT_NEAR(result<double>(*deviation, 1)[0] / expected, 1.0, 1e-15 * (1.0 + offset));
  }
}

TEST(Accumulator, std_of_equal_values_is_zero) {
  const auto deviation = doubles(ReductionKind::std, 1);
  for (const double weight : {0.1, 0.7, 0.3}) add(*deviation, std::vector<double>{0.1}, weight);
  EXPECT_EQ(result<double>(*deviation, 1)[0], 0.0);
}

TEST(Accumulator, extremes_and_sums_of_samples) {
  const std::vector<std::vector<float>> samples{{1.5F, -2.0F}, {0.5F, 7.0F}, {4.0F, -9.0F}};
  const auto of = [&](ReductionKind kind) {
    const auto accumulator = make_accumulator(kind, DataType::float32, DataType::float32, 2);
    for (const auto& sample : samples) add(*accumulator, sample, 3.0);
    return result<float>(*accumulator, 2);
  };
  EXPECT_THAT(of(ReductionKind::min), ElementsAre(0.5F, -9.0F));
  EXPECT_THAT(of(ReductionKind::max), ElementsAre(4.0F, 7.0F));
  EXPECT_THAT(of(ReductionKind::sum), ElementsAre(6.0F, -4.0F));
  EXPECT_THAT(of(ReductionKind::snapshot), ElementsAre(4.0F, -9.0F));
}

TEST(Accumulator, a_nan_makes_the_record_nan) {
  for (const ReductionKind kind : all_kinds) {
    if (kind == ReductionKind::snapshot) continue;
    for (int position = 0; position < 3; ++position) {
      const auto accumulator = doubles(kind, 2);
      for (int s = 0; s < 3; ++s) add(*accumulator, std::vector<double>{s == position ? nan : 1.0 + s, 5.0});
      const std::vector<double> record = result<double>(*accumulator, 2);
      EXPECT_TRUE(std::isnan(record[0])) << name_of(kind) << " " << position;
      EXPECT_FALSE(std::isnan(record[1])) << name_of(kind);
    }
  }
}

TEST(Accumulator, sum_takes_the_part_of_a_sample_that_lies_in_the_window) {
  const auto sum = doubles(ReductionKind::sum, 1);
  add(*sum, std::vector<double>{5.0}, 2.0, 0.25);
  EXPECT_EQ(result<double>(*sum, 1)[0], 1.25);
  add(*sum, std::vector<double>{5.0}, 6.0, 0.75);
  add(*sum, std::vector<double>{7.0}, 2.0);
  EXPECT_EQ(result<double>(*sum, 1)[0], 10.75);
}

TEST(Accumulator, a_weight_of_zero_changes_nothing) {
  for (const ReductionKind kind : all_kinds) {
    const auto accumulator = doubles(kind, 1);
    add(*accumulator, std::vector<double>{nan}, 0.0);
    EXPECT_TRUE(accumulator->empty());
    add(*accumulator, std::vector<double>{3.0}, 2.0);
    const auto before = accumulator->state();
    add(*accumulator, std::vector<double>{nan}, 0.0);
    EXPECT_EQ(accumulator->state(), before) << name_of(kind);
  }
}

// Element-wise: the bits of an element do not depend on the block it is in.
TEST(Accumulator, gives_the_same_bits_however_the_block_is_split) {
  const std::size_t size = 1000;
  const Series series = random_series(20, size, 2);
  for (const ReductionKind kind : all_kinds) {
    const auto whole = doubles(kind, size);
    for (std::size_t s = 0; s < 20; ++s) add(*whole, series.samples[s], series.weights[s]);
    const std::vector<double> expected = result<double>(*whole, size);
    for (const std::size_t piece : {1ul, 3ul, 7ul, 333ul}) {
      for (std::size_t first = 0; first < size; first += piece) {
        const std::size_t count = std::min(piece, size - first);
        const auto part = doubles(kind, count);
        for (std::size_t s = 0; s < 20; ++s)
          part->combine(std::as_bytes(std::span(series.samples[s]).subspan(first, count)), series.weights[s]);
        const std::vector<double> got = result<double>(*part, count);
        ASSERT_EQ(std::memcmp(got.data(), expected.data() + first, count * sizeof(double)), 0)
            << name_of(kind);
      }
    }
  }
}

TEST(Accumulator, a_restart_in_the_middle_changes_no_bit) {
  const std::size_t size = 100;
  const Series series = random_series(9, size, 3);
  for (const ReductionKind kind : all_kinds) {
    for (std::size_t cut = 0; cut <= 9; ++cut) {
      const auto straight = doubles(kind, size);
      auto stopped = doubles(kind, size);
      for (std::size_t s = 0; s < 9; ++s) {
        if (s == cut) {
          const auto saved = stopped->state();
          EXPECT_EQ(saved.values.size(), s == 0 ? 0 : stopped->kept_arrays().size());
          stopped = doubles(kind, size);
          add(*stopped, series.samples[0]);
          stopped->restore(saved);
          EXPECT_EQ(stopped->empty(), s == 0);
        }
        add(*straight, series.samples[s], series.weights[s]);
        add(*stopped, series.samples[s], series.weights[s]);
      }
      EXPECT_EQ(result<double>(*straight, size), result<double>(*stopped, size))
          << name_of(kind) << " " << cut;
    }
  }
}

TEST(Accumulator, says_what_it_keeps) {
  const auto kept = [](ReductionKind kind) {
    return make_accumulator(kind, DataType::float32, DataType::float32, 1)->kept_arrays();
  };
  using enum ReductionKind;
  EXPECT_THAT(kept(snapshot), ElementsAre(KeptArray{"last", DataType::float32}));
  EXPECT_THAT(kept(mean), ElementsAre(KeptArray{"sum", DataType::float64}));
  EXPECT_THAT(kept(min), ElementsAre(KeptArray{"extreme", DataType::float32}));
  EXPECT_THAT(kept(max), ElementsAre(KeptArray{"extreme", DataType::float32}));
  EXPECT_THAT(kept(sum), ElementsAre(KeptArray{"sum", DataType::float64}));
  EXPECT_THAT(kept(std),
              ElementsAre(KeptArray{"mean", DataType::float64}, KeptArray{"squares", DataType::float64}));
}

TEST(Accumulator, refuses_a_state_that_does_not_fit) {
  const auto mean = doubles(ReductionKind::mean, 2);
  add(*mean, std::vector<double>{1.0, 2.0});
  const AccumulatorState state = mean->state();
  const auto complaint = [&](Accumulator& accumulator, const AccumulatorState& saved) -> std::string {
    try {
      accumulator.restore(saved);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint(*doubles(ReductionKind::mean, 3), state),
            "saved state does not fit a mean over 3 values of float64: it holds 2 values");
  EXPECT_THAT(complaint(*doubles(ReductionKind::std, 2), state),
              HasSubstr("it has 1 arrays where 2 are expected"));
  AccumulatorState other = state;
  other.totals.samples = 0;
  EXPECT_THAT(complaint(*mean, other), HasSubstr("it has 1 arrays where 0 are expected"));
  other.totals.samples = -1;
  EXPECT_THAT(complaint(*mean, other), HasSubstr("it has -1 samples"));
  EXPECT_EQ(result<double>(*mean, 2), (std::vector<double>{1.0, 2.0}));
}

TEST(Accumulator, converts_between_types) {
  const auto mean = make_accumulator(ReductionKind::mean, DataType::int32, DataType::float32, 2);
  add(*mean, std::vector<std::int32_t>{1, -7});
  add(*mean, std::vector<std::int32_t>{2, -8});
  EXPECT_THAT(result<float>(*mean, 2), ElementsAre(1.5F, -7.5F));
  const auto rounded = make_accumulator(ReductionKind::snapshot, DataType::float64, DataType::int32, 5);
  add(*rounded, std::vector<double>{1.6, -1.6, 1e20, -1e20, nan});
  EXPECT_THAT(result<std::int32_t>(*rounded, 5), ElementsAre(2, -2, -2147483647, -2147483647, -2147483647));
  const auto narrow = make_accumulator(ReductionKind::max, DataType::int64, DataType::int32, 2);
  add(*narrow, std::vector<std::int64_t>{INT64_MAX, -5});
  EXPECT_THAT(result<std::int32_t>(*narrow, 2), ElementsAre(-2147483647, -5));
  const auto wide = make_accumulator(ReductionKind::min, DataType::int64, DataType::int64, 1);
  add(*wide, std::vector<std::int64_t>{(std::int64_t{1} << 53) + 1});
  EXPECT_THAT(result<std::int64_t>(*wide, 1), ElementsAre((std::int64_t{1} << 53) + 1));
}

TEST(Accumulator, checks_sizes_and_samples) {
  const auto mean = doubles(ReductionKind::mean, 2);
  EXPECT_THROW(add(*mean, std::vector<double>{1.0}), Error);
  EXPECT_THROW(result<double>(*mean, 2), Error);
  add(*mean, std::vector<double>{1.0, 2.0});
  EXPECT_THROW(result<double>(*mean, 1), Error);
}

TEST(Accumulator, reads_samples_that_are_not_aligned) {
  std::vector<std::byte> buffer(1 + 3 * sizeof(double));
  const std::vector<double> values{1.0, 2.0, 3.0};
  std::memcpy(buffer.data() + 1, values.data(), 3 * sizeof(double));
  for (const ReductionKind kind : all_kinds) {
    const auto accumulator = doubles(kind, 3);
    accumulator->combine(std::span(buffer).subspan(1), 1.0);
    EXPECT_EQ(result<double>(*accumulator, 3),
              kind == ReductionKind::std ? std::vector<double>(3, 0.0) : values);
  }
}

TEST(ReductionKind, has_names) {
  EXPECT_THAT(reduction_names(),
              ElementsAre("snapshot", "mean", "min", "max", "sum", "std", "valid_fraction"));
  for (const ReductionKind kind : all_kinds) EXPECT_EQ(find_reduction(name_of(kind)), kind);
  EXPECT_EQ(find_reduction("average"), std::nullopt);
  EXPECT_EQ(cell_method_of(ReductionKind::std), "standard_deviation");
  EXPECT_FALSE(needs_window(ReductionKind::snapshot));
  EXPECT_TRUE(needs_window(ReductionKind::max));
}

}  // namespace
}  // namespace tailrace::time
