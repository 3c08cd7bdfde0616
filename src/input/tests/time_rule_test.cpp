#include "input/time_rule.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double day = 86400.0;

calendar::Calendar model(std::string_view name = "standard", const char* start = "2000-01-01") {
  return calendar::Calendar(name, calendar::parse_date(start));
}

Timeline timeline_of(const calendar::Calendar& calendar, std::vector<double> values,
                     std::vector<double> bounds = {}, bool is_climatology = false) {
  Timeline timeline(calendar);
  timeline.add(0,
               {std::move(values), std::move(bounds), is_climatology, "days since 2000-01-01", "standard"});
  timeline.finish();
  return timeline;
}

TimeSelector select(TimeRule rule, std::vector<double> values, std::vector<double> bounds = {},
                    Outside outside = Outside::refuse) {
  return {timeline_of(model(), std::move(values), std::move(bounds)), {rule, {}, outside, outside}, model()};
}

double value(const TimeSelector& selector, const std::vector<double>& records, double days) {
  double sum = 0.0;
  for (const Part& part : selector.at(days * day).parts())
    sum += part.weight * records[base::index(part.record)];
  return sum;
}

std::string refusal(const TimeSelector& selector, double days) {
  try {
    selector.at(days * day);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TimeRule, steps_follow_the_records) {
  const std::vector<double> days{1, 2, 4}, values{10, 20, 40};
  const auto at = [&](TimeRule rule, double time) { return value(select(rule, days), values, time); };
  EXPECT_EQ(at(TimeRule::previous, 2.0), 20);
  EXPECT_EQ(at(TimeRule::previous, 3.99), 20);
  EXPECT_EQ(at(TimeRule::previous, 4 - 1e-9), 40) << "a clock that is added up";
  EXPECT_EQ(at(TimeRule::next, 2.01), 40);
  EXPECT_EQ(at(TimeRule::next, 2.0), 20);
  EXPECT_EQ(at(TimeRule::next, 2 + 1e-9), 20);
  EXPECT_EQ(at(TimeRule::nearest, 2.99), 20);
  EXPECT_EQ(at(TimeRule::nearest, 3.0), 20);
  EXPECT_EQ(at(TimeRule::nearest, 3.01), 40);
  EXPECT_EQ(at(TimeRule::exact, 4.0), 40);
  EXPECT_EQ(refusal(select(TimeRule::exact, days), 3.0),
            "there is no record at 2000-01-04T00:00:00; the one before is at 2000-01-03T00:00:00, and the "
            "next one is "
            "at 2000-01-05T00:00:00");
}

TEST(TimeRule, linear_lies_between_two_records_and_is_a_copy_on_one) {
  const TimeSelector selector = select(TimeRule::linear, {1, 2, 4});
  for (const double time : {1.0, 1.25, 2.0, 3.5, 4.0}) {
    const double expected = time <= 2 ? 10 * time : 20 + (time - 2) * 10;
    EXPECT_DOUBLE_EQ(value(selector, {10, 20, 40}, time), expected) << time;
  }
  EXPECT_THAT(selector.at(2 * day).parts(), ElementsAre(Part{1, 1.0, 1}));
}

TEST(TimeRule, records_with_bounds_stand_for_their_interval) {
  const std::vector<double> middles{15.5, 45.5, 75.5}, bounds{0, 31, 31, 60, 60, 91}, values{1, 2, 3};
  for (const TimeRule rule : {TimeRule::exact, TimeRule::previous, TimeRule::next, TimeRule::nearest}) {
    const TimeSelector selector = select(rule, middles, bounds);
    EXPECT_EQ(value(selector, values, 0), 1);
    EXPECT_EQ(value(selector, values, 30.9), 1);
    EXPECT_EQ(value(selector, values, 31), 2);
    EXPECT_EQ(value(selector, values, 91), 3);
    EXPECT_THAT(refusal(selector, 91.5),
                HasSubstr(rule == TimeRule::exact ? "there is no record" : "the last record"));
  }
  const TimeSelector linear = select(TimeRule::linear, middles, bounds);
  EXPECT_EQ(value(linear, values, 3), 1) << "the first half of the first interval";
  EXPECT_DOUBLE_EQ(value(linear, values, 30.5), 1.5);
  EXPECT_EQ(value(linear, values, 90), 3);
}

TEST(TimeRule, outside_is_refused_held_or_extrapolated) {
  const std::vector<double> days{1, 2, 4}, values{10, 20, 40};
  const TimeSelector refuses = select(TimeRule::linear, days);
  EXPECT_EQ(refusal(refuses, 0.5),
            "a value is needed at 2000-01-01T12:00:00, but the first record begins at 2000-01-02T00:00:00");
  EXPECT_EQ(refusal(refuses, 4.5),
            "a value is needed at 2000-01-05T12:00:00, but the last record ends at 2000-01-05T00:00:00");
  const TimeSelector holds = select(TimeRule::linear, days, {}, Outside::hold);
  EXPECT_EQ(value(holds, values, 0.5), 10);
  EXPECT_EQ(value(holds, values, 9), 40);
  const TimeSelector extends = select(TimeRule::linear, days, {}, Outside::extrapolate);
  EXPECT_DOUBLE_EQ(value(extends, values, 0.5), 5);
  EXPECT_DOUBLE_EQ(value(extends, values, 5), 50);
}

// The mean over each interval by Simpson's rule over its two straight halves, which is exact for them.
TEST(TimeRule, mean_preserving_keeps_the_means_and_is_continuous) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> length(0.2, 40), mean(-5, 5);
  std::vector<double> middles, bounds, values;
  for (double begin = 0; middles.size() < 20; begin = bounds.back()) {
    bounds.push_back(begin);
    bounds.push_back(begin + length(random));
    middles.push_back((bounds.back() + begin) / 2);
    values.push_back(mean(random));
  }
  const TimeSelector selector = select(TimeRule::mean_preserving, middles, bounds);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double begin = bounds[2 * i], end = bounds[2 * i + 1], tiny = 1e-9 * (end - begin);
    const auto at = [&](double part) { return value(selector, values, begin + part * (end - begin)); };
    const double left = value(selector, values, begin + tiny), right = value(selector, values, end - tiny);
    EXPECT_NEAR((left + 4 * at(0.25) + 2 * at(0.5) + 4 * at(0.75) + right) / 12, values[i], 1e-6) << i;
    if (i + 1 < values.size()) {
      EXPECT_NEAR(right, value(selector, values, end + tiny), 1e-6) << i;
    }
  }
  const std::vector<double> constant(values.size(), 3.25);
  for (double time = 0.1; time < bounds.back(); time += 0.7)
    EXPECT_NEAR(value(selector, constant, time), 3.25, 1e-14);
}

TEST(TimeRule, a_cycle_of_a_year_keeps_dates_in_leap_years) {
  // The middle of each month as a date of 2001, for a model that begins in 2003.
  const calendar::Calendar calendar = model("standard", "2003-01-01");
  std::vector<double> days;
  for (int month = 1; month <= 12; ++month)
    days.push_back(model().seconds_of({2001, month, 15, 0, 0, 0.0}) / day);
  const TimeSelector selector(timeline_of(calendar, days), {TimeRule::linear, {CycleKind::year, 0.0}, {}, {}},
                              calendar);
  for (const int year : {2003, 2004, 2100, 1999})
    for (int month = 1; month <= 12; ++month) {
      EXPECT_THAT(selector.at(calendar.seconds_of({year, month, 15, 0, 0, 0.0})).parts(),
                  ElementsAre(Part{month - 1, 1.0, 12 * year + month - 1}));
    }
  // 1 March lies 14 of 28 or 29 days behind 15 February.
  const auto of_march = [&](int year) {
    return selector.at(calendar.seconds_of({year, 3, 1, 0, 0, 0.0})).parts()[1].weight;
  };
  EXPECT_DOUBLE_EQ(of_march(2003), 14.0 / 28);
  EXPECT_DOUBLE_EQ(of_march(2004), 15.0 / 29);
  const Selection new_year = selector.at(calendar.seconds_of({2004, 1, 1, 0, 0, 0.0}));
  EXPECT_EQ(new_year.parts()[0].record, 11);
  EXPECT_EQ(new_year.parts()[1].record, 0);
}

TEST(TimeRule, a_climatology_stands_for_its_months) {
  const calendar::Calendar calendar = model("standard", "2003-01-01");
  std::vector<double> middles, bounds;
  const auto days_of = [](int year, int month) {
    return model().seconds_of({year, month, 1, 0, 0, 0.0}) / day;
  };
  for (int month = 1; month <= 12; ++month) {
    bounds.push_back(days_of(1961, month));
    bounds.push_back(month < 12 ? days_of(1990, month + 1) : days_of(1991, 1));
    middles.push_back(days_of(1975, month) + 15);
  }
  const TimeSelector selector(timeline_of(calendar, middles, bounds, true),
                              {TimeRule::previous, {CycleKind::year, 0.0}, {}, {}}, calendar);
  for (const int year : {2003, 2004})
    for (int month = 1; month <= 12; ++month)
      for (const int of_month : {1, 28}) {
        EXPECT_EQ(selector.at(calendar.seconds_of({year, month, of_month, 23, 59, 59.0})).parts()[0].record,
                  month - 1);
      }
}

TEST(TimeRule, a_cycle_of_a_day_repeats_each_day) {
  const TimeSelector selector(timeline_of(model(), {0, 0.25, 0.5, 0.75}),
                              {TimeRule::linear, {CycleKind::period, day}, {}, {}}, model());
  const std::vector<double> values{0, 1, 2, 3};
  EXPECT_DOUBLE_EQ(value(selector, values, 100.125), 0.5);
  EXPECT_DOUBLE_EQ(value(selector, values, 100.875), 1.5) << "between the last and the first";
  EXPECT_DOUBLE_EQ(value(selector, values, -3.0), 0);
}

// Goes through a time axis in small and in random steps; `places` must enclose what each time needs, and may
// never go back.
void expect_places_in_order(const TimeSelector& selector, double begin, double end) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> length(0.001, 9);
  std::vector<double> times;
  for (double time = begin; time < end; time += length(random)) {
    times.push_back(time);
    times.push_back(std::round(time));  // that of a record
  }
  std::ranges::sort(times);
  Places before{INT64_MIN, INT64_MIN};
  for (const double days : times) {
    const Places now = selector.places(days * day, days * day);
    EXPECT_GE(now.lowest, before.lowest) << days;
    EXPECT_LE(now.lowest, now.highest) << days;
    const Places ahead = selector.places(begin * day, days * day);
    EXPECT_EQ(ahead.lowest, selector.places(begin * day, begin * day).lowest);
    EXPECT_GE(ahead.highest, before.highest) << days;
    before = {now.lowest, ahead.highest};
    if (!refusal(selector, days).empty()) continue;
    for (const Part& part : selector.at(days * day).parts()) {
      EXPECT_GE(part.place, now.lowest) << days;
      EXPECT_LE(part.place, now.highest) << days;
      EXPECT_EQ(selector.record_at(part.place), part.record) << days;
    }
  }
}

TEST(TimeRule, places_are_in_the_order_in_which_a_run_needs_them) {
  const std::vector<double> middles{15, 45, 76}, bounds{0, 31, 31, 60, 60, 91}, days{1, 5, 7, 40};
  for (const TimeRule rule : {TimeRule::exact, TimeRule::previous, TimeRule::next, TimeRule::nearest,
                              TimeRule::linear, TimeRule::mean_preserving})
    for (const Outside outside : {Outside::refuse, Outside::hold, Outside::extrapolate}) {
      expect_places_in_order(select(rule, middles, bounds, outside), -20, 130);
      if (rule != TimeRule::mean_preserving)
        expect_places_in_order(select(rule, days, {}, outside), -20, 130);
    }
  EXPECT_EQ(select(TimeRule::linear, days).places(5 * day, 6 * day), (Places{1, 2}));
  EXPECT_EQ(select(TimeRule::linear, days).places(6 * day, 7 * day), (Places{1, 2}));
  EXPECT_EQ(select(TimeRule::linear, days).places(6 * day, 7.5 * day), (Places{1, 3}));
  EXPECT_EQ(select(TimeRule::none, {5}).places(-3 * day, 900 * day), (Places{0, 0}));
  // The mean before has the weight 0 a sixth of an interval behind its beginning, and is needed after it.
  EXPECT_EQ(select(TimeRule::mean_preserving, middles, bounds).places((31 + 29.0 / 6) * day, 36 * day),
            (Places{0, 2}));
}

TEST(TimeRule, places_of_a_cycle_are_in_order_wherever_its_records_begin) {
  const calendar::Calendar calendar = model("standard", "2003-01-01");
  std::vector<double> days;  // of July 2000 to June 2001
  for (int month = 7; month <= 18; ++month)
    days.push_back(model().seconds_of({2000 + (month - 1) / 12, (month - 1) % 12 + 1, 15, 0, 0, 0.0}) / day);
  for (const TimeRule rule : {TimeRule::linear, TimeRule::previous, TimeRule::next, TimeRule::nearest}) {
    const TimeSelector selector(timeline_of(calendar, days), {rule, {CycleKind::year, 0.0}, {}, {}},
                                calendar);
    expect_places_in_order(selector, -400, 1000);
    EXPECT_EQ(selector.record_at(2003 * 12), 6) << "January";
    EXPECT_EQ(selector.record_at(-12 * 5), 6);
  }
  for (const std::size_t count : {1u, 2u, 4u}) {
    const std::vector<double> of_day{0.1, 0.25, 0.5, 0.75};
    const TimeSelector selector(timeline_of(model(), {of_day.begin(), of_day.begin() + count}),
                                {TimeRule::linear, {CycleKind::period, day}, {}, {}}, model());
    expect_places_in_order(selector, -20, 30);
    EXPECT_EQ(selector.places(10.3 * day, 10.3 * day).lowest, 10 * static_cast<int>(count) + (count > 1));
  }
}

TEST(TimeRule, a_timeline_that_becomes_longer_moves_the_end) {
  TimeSelector selector = select(TimeRule::linear, {1, 2});
  EXPECT_NE(refusal(selector, 2.5), "");
  const std::vector<Record> further{{1, 0, 4 * day, 4 * day, 4 * day}};
  selector.lengthen(further);
  EXPECT_DOUBLE_EQ(value(selector, {10, 20, 40}, 3), 30);
  EXPECT_THROW(selector.lengthen(further), Error) << "it is not later than the last one";
}

TEST(TimeRule, refuses_what_a_rule_cannot_use) {
  const auto refused = [](std::vector<double> days, std::vector<double> bounds,
                          const TimeSelector::Options& options, const calendar::Calendar& calendar = model(),
                          bool is_climatology = false) -> std::string {
    try {
      TimeSelector(timeline_of(calendar, std::move(days), std::move(bounds), is_climatology), options,
                   calendar);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused({0, 1}, {}, {TimeRule::none, {}, {}, {}}),
            "there are 2 records, but `time: none` expects one");
  EXPECT_THAT(refused({0, 1}, {}, {TimeRule::mean_preserving, {}, {}, {}}), HasSubstr("has no bounds"));
  EXPECT_THAT(
      refused({0.5, 2.5}, {0, 1, 2, 3}, {TimeRule::mean_preserving, {}, {}, {}}),
      HasSubstr(
          "a gap between the intervals that end at 2000-01-02T00:00:00 and begin at 2000-01-03T00:00:00"));
  EXPECT_THAT(refused({0, 400}, {}, {TimeRule::linear, {CycleKind::year, 0}, {}, {}}),
              HasSubstr("the records cover 400.0 days, but `cycle: year` expects those of one year"));
  EXPECT_THAT(refused({0, 1}, {}, {TimeRule::linear, {CycleKind::period, day}, {}, {}}),
              HasSubstr("the records cover 86400 s, which is not less than the cycle of 86400 s"));
  EXPECT_EQ(refused({59}, {}, {TimeRule::linear, {CycleKind::year, 0}, {}, {}}),
            "all records are of 29 February, which `cycle: year` cannot use");
  EXPECT_THAT(refused({1}, {0, 800}, {TimeRule::linear, {}, {}, {}}, model(), true),
              HasSubstr("expected `cycle: year`"));
}

}  // namespace
}  // namespace tailrace::input
