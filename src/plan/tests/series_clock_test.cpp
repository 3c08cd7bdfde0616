// When files of a series end, and what they are called.
#include "plan/series_clock.hpp"

#include <gmock/gmock.h>

#include "dialects/dialect.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using Ends = std::vector<std::pair<double, std::string>>;

DatasetPlan file_of(time::Period every, time::Period cadence,
                    const time::Convention& convention = time::standard_convention()) {
  DatasetPlan file;
  file.entry.path = "a.nc";
  file.entry.series = true;
  file.entry.write_every = every;
  file.convention = &convention;
  file.axes = {{time::AxisKind::instant, time::Period::of_seconds(2), cadence, "time"}};
  return file;
}

Ends ends_of(const DatasetPlan& file, const std::vector<double>& times,
             const calendar::Calendar& calendar = calendar::Calendar(), std::string* open = nullptr) {
  SeriesClock clock(file, calendar, {0, 0.0});
  Ends ends;
  model::Tick tick{0, 0.0};
  for (const double time : times) {
    tick = {tick.step + 1, time};
    if (clock.ends(tick)) ends.emplace_back(time, clock.ended());
  }
  if (open != nullptr) *open = clock.open(tick);
  return ends;
}

const std::vector<double> each_2_5{2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5, 20.0, 22.5, 25.0};

TEST(SeriesClock, EndsWithTheFirstSampleAtOrPastEachMultiple) {
  const auto seconds = time::Period::of_seconds;
  const time::Period steps = time::Period::of_steps(1);
  std::string open;
  EXPECT_EQ(ends_of(file_of(seconds(6), steps), each_2_5, calendar::Calendar(), &open),
            (Ends{{7.5, "a_6.0.nc"}, {12.5, "a_12.0.nc"}, {20.0, "a_18.0.nc"}, {25.0, "a_24.0.nc"}}));
  EXPECT_EQ(open, "a_30.0.nc");
  // Samples at every third step alone.
  EXPECT_EQ(ends_of(file_of(seconds(6), time::Period::of_steps(3)), each_2_5),
            (Ends{{7.5, "a_6.0.nc"}, {15.0, "a_12.0.nc"}, {22.5, "a_18.0.nc"}}));
  // Steps longer than the period: no name comes twice or lags behind.
  EXPECT_EQ(ends_of(file_of(seconds(1), steps), {2.5, 5.0, 7.5}),
            (Ends{{2.5, "a_2.0.nc"}, {5.0, "a_5.0.nc"}, {7.5, "a_7.0.nc"}}));
}

TEST(SeriesClock, CountsStepsAndMonths) {
  std::string open;
  EXPECT_EQ(ends_of(file_of(time::Period::of_steps(4), time::Period::of_steps(1)), each_2_5,
                    calendar::Calendar(), &open),
            (Ends{{10.0, "a_4.nc"}, {20.0, "a_8.nc"}}));
  EXPECT_EQ(open, "a_12.nc");
  EXPECT_EQ(ends_of(file_of(time::Period::never(), time::Period::of_steps(1)), each_2_5, calendar::Calendar(),
                    &open),
            Ends{});
  EXPECT_EQ(open, "a_10.nc");
  const calendar::Calendar real("standard", calendar::parse_date("2026-01-20"));
  const double day = 86400.0;
  EXPECT_EQ(ends_of(file_of(time::Period::of_months(1), time::Period::of_steps(1)),
                    {10 * day, 13 * day, 41 * day}, real, &open),
            (Ends{{13 * day, "a_2026-02-01.nc"}, {41 * day, "a_2026-03-01.nc"}}));
  EXPECT_EQ(open, "a_2026-04-01.nc");
}

// W=31, samples each 2.5 give files at 32.5 and 65; W=1: the name lags behind.
TEST(SeriesClock, FollowsAConventionThatDrifts) {
  const time::Convention& monc = dialects::convention_of("monc");
  std::vector<double> times;
  for (double time = 2.5; time < 80.0; time += 2.5) times.push_back(time);
  const time::Period steps = time::Period::of_steps(1);
  EXPECT_EQ(ends_of(file_of(time::Period::of_seconds(31), steps, monc), times),
            (Ends{{32.5, "a_31.0.nc"}, {65.0, "a_62.0.nc"}}));
  EXPECT_EQ(ends_of(file_of(time::Period::of_seconds(1), steps, monc), each_2_5).back(),
            std::pair(25.0, std::string("a_10.0.nc")));
}

// Months of a year that has 12 times 30 days, and a run that begins within one.
TEST(SeriesClock, NamesFilesByTheirLimits) {
  const calendar::Calendar calendar("360_day", calendar::parse_date("2026-01-20"));
  const double day = 86400.0;
  const std::vector<double> times{5 * day, 11 * day, 41 * day, 72 * day};
  DatasetPlan file = file_of(time::Period::of_steps(1), time::Period::of_steps(1));
  file.entry.series = false;
  file.entry.new_file_every = time::Period::of_months(1);
  std::string open;
  EXPECT_EQ(ends_of(file, times, calendar, &open), (Ends{{11 * day, "a_20260101-20260130.nc"},
                                                         {41 * day, "a_20260201-20260230.nc"},
                                                         {72 * day, "a_20260301-20260330.nc"}}));
  EXPECT_EQ(open, "a_20260401-20260430.nc");
  file.entry.path = "out/{start:%Y}/{end:%m}.nc";
  EXPECT_EQ(ends_of(file, times, calendar, &open).front().second, "out/2026/01.nc");
  EXPECT_EQ(open, "out/2026/04.nc");
  EXPECT_EQ(first_path(file, calendar, {7, 12 * day}), "out/2026/02.nc");
  file.entry.new_file_every = time::Period::of_seconds(6 * 3600.0);
  file.entry.path = "a.nc";
  EXPECT_EQ(first_path(file, calendar, {7, 1800.0}), "a_20260120T000000-20260120T055959.nc");
  file.entry.new_file_every = time::Period::of_steps(40);
  EXPECT_EQ(first_path(file, calendar, {47, 1800.0}), "a_40-80.nc");
  file.entry.new_file_every = time::Period::of_seconds(100.0);
  EXPECT_EQ(first_path(file, calendar::Calendar(), {47, 250.0}), "a_200.0-300.0.nc");
}

// Its first snapshot would otherwise be all that there is of a file before the run.
TEST(SeriesClock, EndsNoFileWhereTheRunBegins) {
  DatasetPlan file = file_of(time::Period::of_seconds(6), time::Period::of_steps(1));
  const auto first_end = [&] { return ends_of(file, {0.0, 2.5, 5.0, 7.5}).front(); };
  EXPECT_EQ(first_end(), std::pair(0.0, std::string("a_0.0.nc")));
  file.entry.series = false;
  file.entry.new_file_every = time::Period::of_seconds(6);
  EXPECT_EQ(first_end(), std::pair(7.5, std::string("a_0.0-6.0.nc")));
}

TEST(FirstPath, HasTheBeginOfTheRunWhereThereIsOneFile) {
  DatasetPlan file;
  file.entry.path = "a_{start:%Y%m%d}.nc";
  const calendar::Calendar calendar("noleap", calendar::parse_date("2027-12-30"));
  EXPECT_EQ(first_path(file, calendar, {0, 3 * 86400.0}), "a_20280102.nc");
  file.span.from = 5 * 86400.0;
  EXPECT_EQ(first_path(file, calendar, {0, 3 * 86400.0}), "a_20280104.nc");
  file.entry.path = "a.nc";
  EXPECT_EQ(first_path(file, calendar, {0, 3 * 86400.0}), "a.nc");
}

TEST(PathOfPart, PutsThePartWhereTheConventionSays) {
  const time::Convention& standard = time::standard_convention();
  const time::Convention& monc = dialects::convention_of("monc");
  EXPECT_EQ(path_of_part("out/a.nc", "100.0", standard), "out/a_100.0.nc");
  EXPECT_EQ(path_of_part("./run.1/a.b.nc", "5", standard), "./run.1/a.b_5.nc");
  EXPECT_EQ(path_of_part("./run.1/a.b.nc", "5", monc), "./run.1/a_5.b.nc");
  EXPECT_EQ(path_of_part("run.1/a", "5", standard), "run.1/a_5");
  EXPECT_EQ(path_of_part("run.1/a", "5", monc), "run.1/a_5");
  EXPECT_EQ(path_of_part(".hidden", "5", standard), ".hidden_5");
}

}  // namespace
}  // namespace tailrace::plan
