// Input fields against values that the test computes by itself, over the records that it sends.
#include "client/input_fields.hpp"

#include <gmock/gmock.h>

#include <random>

#include "client/tests/input_bench.hpp"

namespace tailrace::client::testing {
namespace {

using input::CycleKind;
using input::Outside;
using input::TimeRule;
using model::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The value of a record in a cell of the whole grid: a whole number, which all types hold.
double value_of(std::int64_t cell, std::int64_t record) {
  return static_cast<double>(100 * cell + 7 * record * record % 41 - 3 * record);
}
std::vector<double> on_les(int, std::int64_t record) {
  std::vector<double> values;
  for (const std::int64_t cell : cells_of_les()) values.push_back(value_of(cell, record));
  return values;
}

// The time rules by their definition, over a line of records. `width`: of the interval of each record.
double expected(TimeRule rule, const std::vector<double>& times, double width, std::int64_t cell,
                double time) {
  const auto value = [&](std::size_t i) { return value_of(cell, static_cast<std::int64_t>(i)); };
  std::size_t before = 0;
  while (before + 1 < times.size() && times[before + 1] <= time) ++before;
  const std::size_t after = std::min(before + 1, times.size() - 1);
  const double step = times[after] - times[before], part = step > 0 ? (time - times[before]) / step : 0;
  switch (rule) {
    case TimeRule::previous: return value(before);
    case TimeRule::next: return value(part > 0 ? after : before);
    case TimeRule::nearest: return value(part > 0.5 ? after : before);
    case TimeRule::linear: return value(before) + part * (value(after) - value(before));
    case TimeRule::mean_preserving: {  // of intervals of the same length
      const auto own = static_cast<std::size_t>(std::floor((time - (times[0] - width / 2)) / width));
      const auto end = [&](std::size_t left) {
        return left + 1 < times.size() ? (value(left) + value(left + 1)) / 2 : value(left);
      };
      const double left = own == 0 ? value(0) : end(own - 1), right = end(own);
      const double middle = 2 * value(own) - (left + right) / 2;
      const double at = (time - (times[own] - width / 2)) / width;
      return at < 0.5 ? left + 2 * at * (middle - left) : middle + (2 * at - 1) * (right - middle);
    }
    default: return value(0);
  }
}

template <class T>
void expect_rule(TimeRule rule, DataType travels_as, double tolerance) {
  std::vector<double> times, bounds;
  for (int i = 0; i < 20; ++i) {
    times.push_back(10.0 * i + (rule == TimeRule::mean_preserving ? 5.0 : (i % 3) * 1.5));
    if (rule != TimeRule::mean_preserving) continue;
    bounds.push_back(10.0 * i);
    bounds.push_back(10.0 * i + 10);
  }
  auto field = prepared(0, times, bounds);
  field.request.time.rule = rule;
  field.travels_as = travels_as;
  InputBench bench(declared_inputs({{"f", model::data_type_of<T>()}}), {field}, on_les);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> length(0.01, 17);
  for (double time = times.front(); time < times.back(); time += length(random)) {
    bench.step(time);
    const auto got = bench.get<T>(0, 14);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double value = expected(rule, times, 10.0, cells_of_les()[i], time);
      ASSERT_NEAR(static_cast<double>(got[i]), value, tolerance * std::abs(value))
          << "rule " << static_cast<int>(rule) << " at " << time;
    }
  }
  EXPECT_EQ(bench.looks, 0) << "the server was ahead";
}

TEST(InputFields, give_what_each_time_rule_says) {
  for (const TimeRule rule : {TimeRule::previous, TimeRule::next, TimeRule::nearest})
    for (const DataType travels_as : {DataType::float32, DataType::float64, DataType::int32}) {
      expect_rule<double>(rule, travels_as, 0.0);
      expect_rule<float>(rule, travels_as, 0.0);
      expect_rule<std::int32_t>(rule, travels_as, 0.0);
    }
  for (const TimeRule rule : {TimeRule::linear, TimeRule::mean_preserving})
    for (const DataType travels_as : {DataType::float32, DataType::float64}) {
      expect_rule<double>(rule, travels_as, 1e-12);
      expect_rule<float>(rule, travels_as, 1e-7);
    }
}

TEST(InputFields, sums_are_the_same_bits_in_any_part_of_the_grid) {
  auto field = prepared(0, {0, 10});
  field.travels_as = DataType::float64;
  InputBench bench(declared_inputs({{"f", DataType::float64}}), {field},
                   [](int, std::int64_t record) { return std::vector<double>(14, record == 0 ? 0.1 : 0.7); });
  bench.step(3);
  const double value = (1.0 - 3.0 / 10.0) * 0.1 + (3.0 / 10.0) * 0.7;
  for (const double one : bench.get<double>(0, 14)) EXPECT_EQ(one, value);
}

TEST(InputFields, fixed_ones_and_cycles_and_both_ends) {
  auto fixed = prepared(0, {500});
  fixed.request.time.rule = TimeRule::none;
  fixed.stays = true;
  auto day = prepared(1, {0, 6, 12, 18});
  day.request.time.cycle = {CycleKind::period, 24};
  day.stays = true;
  auto held = prepared(2, {20, 30, 40});
  held.request.time.before = Outside::hold;
  held.request.time.after = Outside::extrapolate;
  auto week = day;  // records come again in each cycle
  week.field = 3;
  week.stays = false;
  InputBench bench(declared_inputs({{"orog", DataType::float64},
                                    {"day", DataType::float64},
                                    {"held", DataType::float64},
                                    {"week", DataType::float64}}),
                   {fixed, day, held, week}, on_les);
  const std::int64_t cell = cells_of_les()[0];
  for (double time = 0; time < 90; time += 1.75) {
    bench.step(time);
    EXPECT_EQ(bench.get<double>(0, 14)[0], value_of(cell, 0));
    const double hour = std::fmod(time, 24);
    const auto quarter = static_cast<std::int64_t>(hour / 6);
    const double part = hour / 6 - static_cast<double>(quarter);
    const double of_day =
        value_of(cell, quarter) + part * (value_of(cell, (quarter + 1) % 4) - value_of(cell, quarter));
    EXPECT_NEAR(bench.get<double>(1, 14)[0], of_day, 1e-11) << time;
    EXPECT_NEAR(bench.get<double>(3, 14)[0], of_day, 1e-11) << time;
    const double slope = (value_of(cell, 2) - value_of(cell, 1)) / 10;
    const double outside = time < 20   ? value_of(cell, 0)
                           : time > 40 ? value_of(cell, 2) + (time - 40) * slope
                                       : expected(TimeRule::linear, {20, 30, 40}, 0, cell, time);
    EXPECT_NEAR(bench.get<double>(2, 14)[0], outside, 1e-9) << time;
  }
  EXPECT_EQ(bench.looks, 0);
  EXPECT_EQ(bench.sends, 1 + 4 + 3 + 18) << "each once, and those of `week` in each cycle";
}

TEST(InputFields, targets_may_have_strides_and_be_of_any_grid) {
  auto on_column = prepared(0, {0, 10});
  on_column.travels_as = DataType::float32;
  const auto values = [](int, std::int64_t record) {
    const double r = static_cast<double>(record);
    return std::vector<double>{1 + r, 2 + r, 3 + r, 4 + r};
  };
  InputBench bench(declared_inputs({{"f", DataType::float32}}, "column"), {on_column}, values);
  const std::vector<std::int64_t> shape{4}, strides{3};
  std::vector<float> halo(12, -1.0F);
  const auto get_into = [&](double time) {
    bench.step(time);
    bench.inputs->get(0, {0, time}, {halo.data(), DataType::float32, shape, strides});
    return halo;
  };
  EXPECT_THAT(get_into(0), ElementsAre(1, -1, -1, 2, -1, -1, 3, -1, -1, 4, -1, -1));
  EXPECT_THAT(get_into(5), ElementsAre(1.5, -1, -1, 2.5, -1, -1, 3.5, -1, -1, 4.5, -1, -1));
  EXPECT_EQ(input_error([&] { bench.get<double>(0, 4); }, ErrorCode::usage),
            "get of field \"f\": the array is of type float64, but the field was declared as float32");
  EXPECT_THAT(input_error([&] { bench.get<float>(0, 5); }, ErrorCode::usage),
              HasSubstr("the array has the shape (5), but grid \"column\" holds (4) on this rank"));
  EXPECT_EQ(input_error([&] { bench.get<float>(9, 5); }, ErrorCode::usage),
            "9 is not the handle of a field; there are 1 fields");

  InputBench none(declared_inputs({{"f", DataType::float64}}, "empty"), {prepared(0, {0, 10})},
                  [](int, std::int64_t) { return std::vector<double>(); });
  none.step(5);
  EXPECT_TRUE(none.get<double>(0, 0).empty());
}

TEST(InputFields, missing_values_are_refused_replaced_or_kept) {
  const auto values = [](int, std::int64_t record) {
    auto all = on_les(0, record);
    if (record == 1) all[4] = missing;
    return all;
  };
  const auto with = [&](input::MissingRequest request, std::optional<model::FillValue> fill = {}) {
    auto field = prepared(0, {0, 10, 20});
    field.request.missing = request;
    Declarer declarer = declared_inputs({});
    model::Field declared;
    declared.name = "f";
    declared.fill_value = fill;
    declarer.field("les", declared);
    return std::make_unique<InputBench>(std::move(declarer), std::vector{field}, values);
  };
  using Kind = input::MissingRequest::Kind;
  const auto at = [&](InputBench& bench, double time) {
    bench.step(time);
    return bench.get<double>(0, 14);
  };
  auto refuses = with({Kind::refuse, 0});
  EXPECT_EQ(at(*refuses, 0), on_les(0, 0)) << "the record with a missing value has the weight 0";
  EXPECT_EQ(
      input_error([&] { at(*refuses, 5); }, ErrorCode::resource),
      "input \"made up\" (run.yml:7:5), variable var: the value of cell (1, 2) (counted from 0) is missing; "
      "expected `missing: <value>`, `missing: nearest` or `missing: keep` (record 100 of forcing.nc, "
      "record 101 of forcing.nc)");
  for (const double time : {5.0, 10.0, 15.0}) {
    EXPECT_EQ(at(*with({Kind::value, -7}), time)[4], -7);
    EXPECT_TRUE(std::isnan(at(*with({Kind::keep, 0}), time)[4]));
    EXPECT_EQ(at(*with({Kind::keep, 0}, model::FillValue(1e20)), time)[4], 1e20);
    EXPECT_NEAR(at(*with({Kind::value, -7}), time)[3],
                expected(TimeRule::linear, {0, 10, 20}, 0, cells_of_les()[3], time), 1e-9);
  }
}

TEST(InputFields, refuse_what_the_models_type_cannot_hold) {
  const auto made = [](DataType type, double value, bool may_lose_bits) {
    auto field = prepared(0, {0, 10});
    field.request.may_lose_bits = may_lose_bits;
    return std::make_unique<InputBench>(
        declared_inputs({{"f", type}}), std::vector{field},
        [value](int, std::int64_t record) { return std::vector<double>(14, record == 0 ? 0.0 : value); });
  };
  auto whole = made(DataType::int32, 5, false);
  whole->step(10);
  EXPECT_EQ(whole->get<std::int32_t>(0, 14)[0], 5);
  whole = made(DataType::int32, 5, false);
  whole->step(5);
  EXPECT_THAT(input_error([&] { whole->get<std::int32_t>(0, 14); }, ErrorCode::resource),
              HasSubstr("cell (0, 1) (counted from 0) is 2.5, which does not fit the model's type, int32"));
  auto rounds = made(DataType::int32, 5, true);
  rounds->step(5);
  EXPECT_EQ(rounds->get<std::int32_t>(0, 14)[0], 2);
  auto large = made(DataType::float32, 1e39, false);
  large->step(5);
  EXPECT_THAT(input_error([&] { large->get<float>(0, 14); }, ErrorCode::resource),
              HasSubstr("is 5e+38, which does not fit the model's type, float32"));
  EXPECT_THAT(
      input_error(
          [] {
            auto field = prepared(0, {0});
            field.request.missing.kind = input::MissingRequest::Kind::keep;
            InputBench(declared_inputs({{"f", DataType::int32}}), {field}, on_les);
          },
          ErrorCode::configuration),
      HasSubstr("run.yml:7:5: `missing: keep` of \"made up\", which has whole numbers (int32) and no fill "
                "value"));
}

}  // namespace
}  // namespace tailrace::client::testing
