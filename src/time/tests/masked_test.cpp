// Operations over time where cells are missing now and then, against plain sums over what is there.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "time/accumulator.hpp"

namespace tailrace::time {
namespace {

using model::DataType;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t cells = 40, steps = 9;
constexpr double output_fill = -1e30;

struct Sample {
  std::vector<double> values;  // whole numbers, so that each type has them
  std::vector<bool> hidden;
  double weight = 0.0, fraction = 0.0;
};

std::vector<Sample> random_samples(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Sample> samples(steps);
  for (Sample& sample : samples) {
    sample.weight = 0.1 + static_cast<double>(random() % 50) / 7.0;
    sample.fraction = static_cast<double>(1 + random() % 4) / 4.0;
    for (std::size_t i = 0; i < cells; ++i) {
      sample.values.push_back(static_cast<double>(random() % 1000) - 500.0);
      sample.hidden.push_back(i % 10 == 3 || (i % 10 != 5 && random() % 3 == 0));
    }
  }
  return samples;
}

// The expected value of cell i.
double expected(ReductionKind kind, const std::vector<Sample>& samples, std::size_t i, bool propagates) {
  double weight = 0.0, all = 0.0, sum = 0.0, shared = 0.0, least = 1e9, most = -1e9, squares = 0.0;
  for (const Sample& sample : samples) {
    all += sample.weight;
    if (sample.hidden[i]) continue;
    weight += sample.weight;
    sum += sample.weight * sample.values[i];
    shared += sample.fraction * sample.values[i];
    least = std::min(least, sample.values[i]);
    most = std::max(most, sample.values[i]);
  }
  for (const Sample& sample : samples)
    if (!sample.hidden[i]) squares += sample.weight * std::pow(sample.values[i] - sum / weight, 2);
  const Sample& last = samples.back();
  if (kind == ReductionKind::valid_fraction) return weight / all;
  if (kind == ReductionKind::snapshot) return last.hidden[i] ? output_fill : last.values[i];
  if (weight == 0.0 || (propagates && weight != all)) return output_fill;
  switch (kind) {
    case ReductionKind::mean: return sum / weight;
    case ReductionKind::sum: return shared;
    case ReductionKind::min: return least;
    case ReductionKind::max: return most;
    default: return std::sqrt(squares / weight);
  }
}

template <class T>
std::vector<std::byte> bytes_of(const Sample& sample, double fill) {
  std::vector<T> values;
  for (std::size_t i = 0; i < cells; ++i)
    values.push_back(static_cast<T>(sample.hidden[i] ? fill : sample.values[i]));
  const auto bytes = std::as_bytes(std::span<const T>(values));
  return {bytes.begin(), bytes.end()};
}

// In the middle it is saved, and goes on elsewhere.
template <class T>
void check(ReductionKind kind, DataType type, double fill, bool propagates) {
  const std::vector<Sample> samples = random_samples(7);
  const Missing missing{.fill = fill, .propagates = propagates};
  const auto make = [&] {
    return make_accumulator(kind, type, {DataType::float64, output_fill}, cells, missing);
  };
  auto folded = make();
  for (std::size_t s = 0; s < steps; ++s) {
    folded->combine(bytes_of<T>(samples[s], fill), samples[s].weight, samples[s].fraction);
    if (s != 4) continue;
    auto other = make();
    EXPECT_EQ(folded->state().values.size(), folded->kept_arrays().size());
    other->restore(folded->state());
    folded = std::move(other);
  }
  std::vector<double> record(cells);
  folded->finish(std::as_writable_bytes(std::span<double>(record)));
  EXPECT_TRUE(folded->empty());
  for (std::size_t i = 0; i < cells; ++i) {
    const double should = expected(kind, samples, i, propagates);
    EXPECT_NEAR(record[i], should, 1e-10 * std::max(1.0, std::abs(should)))
        << name_of(kind) << " of cell " << i << ", " << model::name_of(type)
        << (propagates ? ", propagates" : "");
  }
}

TEST(MaskedAccumulator, weighs_what_is_there) {
  for (const std::string& name : reduction_names()) {
    const ReductionKind kind = *find_reduction(name);
    for (const bool propagates : {false, true}) {
      check<double>(kind, DataType::float64, -999.0, propagates);
      check<double>(kind, DataType::float64, nan, propagates);
      check<float>(kind, DataType::float32, nan, propagates);
      check<float>(kind, DataType::float32, 1e20, propagates);
      check<std::int32_t>(kind, DataType::int32, -32768.0, propagates);
      check<std::int64_t>(kind, DataType::int64, 1e12, propagates);
    }
  }
}

TEST(MaskedAccumulator, has_the_bits_of_a_plain_one_where_nothing_is_missing) {
  for (const ReductionKind kind : {ReductionKind::mean, ReductionKind::sum, ReductionKind::min,
                                   ReductionKind::max, ReductionKind::std}) {
    const auto plain = make_accumulator(kind, DataType::float64, DataType::float64, cells);
    const auto masked =
        make_accumulator(kind, DataType::float64, DataType::float64, cells, Missing{.fill = nan});
    for (Sample sample : random_samples(3)) {
      sample.hidden.assign(cells, false);
      for (const auto* each : {&plain, &masked})
        (*each)->combine(bytes_of<double>(sample, nan), sample.weight, sample.fraction);
    }
    std::vector<double> one(cells), other(cells);
    plain->finish(std::as_writable_bytes(std::span<double>(one)));
    masked->finish(std::as_writable_bytes(std::span<double>(other)));
    EXPECT_EQ(one, other) << name_of(kind);
  }
}

TEST(MaskedAccumulator, keeps_a_nan_that_is_no_fill_value) {
  const auto largest =
      make_accumulator(ReductionKind::max, DataType::float64, DataType::float64, 1, Missing{.fill = -1.0});
  for (const double value : {2.0, nan, 5.0}) largest->combine(std::as_bytes(std::span(&value, 1)), 1.0);
  double record = 0.0;
  largest->finish(std::as_writable_bytes(std::span(&record, 1)));
  EXPECT_TRUE(std::isnan(record));
}

}  // namespace
}  // namespace tailrace::time
