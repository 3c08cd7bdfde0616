// When files of a series end, and what they are called.
#include "plan/series_clock.hpp"

#include <gmock/gmock.h>

#include "settings/legacy.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using Ends = std::vector<std::pair<double, std::string>>;

FilePlan file_of(time::Period every, time::Period cadence,
                 const time::Convention& convention = time::standard_convention()) {
  FilePlan file;
  file.entry.write_every = every;
  file.convention = &convention;
  file.axes = {{time::AxisKind::instant, time::Period::of_seconds(2), cadence, "time"}};
  return file;
}

Ends ends_of(const FilePlan& file, const std::vector<double>& times,
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
            (Ends{{7.5, "6.0"}, {12.5, "12.0"}, {20.0, "18.0"}, {25.0, "24.0"}}));
  EXPECT_EQ(open, "30.0");
  // Samples at every third step alone.
  EXPECT_EQ(ends_of(file_of(seconds(6), time::Period::of_steps(3)), each_2_5),
            (Ends{{7.5, "6.0"}, {15.0, "12.0"}, {22.5, "18.0"}}));
  // Steps longer than the period: no name comes twice or lags behind.
  EXPECT_EQ(ends_of(file_of(seconds(1), steps), {2.5, 5.0, 7.5}),
            (Ends{{2.5, "2.0"}, {5.0, "5.0"}, {7.5, "7.0"}}));
}

TEST(SeriesClock, CountsStepsAndMonths) {
  std::string open;
  EXPECT_EQ(ends_of(file_of(time::Period::of_steps(4), time::Period::of_steps(1)), each_2_5,
                    calendar::Calendar(), &open),
            (Ends{{10.0, "4"}, {20.0, "8"}}));
  EXPECT_EQ(open, "12");
  EXPECT_EQ(ends_of(file_of(time::Period::never(), time::Period::of_steps(1)), each_2_5, calendar::Calendar(),
                    &open),
            Ends{});
  EXPECT_EQ(open, "10");
  const calendar::Calendar real("standard", calendar::parse_date("2026-01-20"));
  const double day = 86400.0;
  EXPECT_EQ(ends_of(file_of(time::Period::of_months(1), time::Period::of_steps(1)),
                    {10 * day, 13 * day, 41 * day}, real, &open),
            (Ends{{13 * day, "2026-02-01"}, {41 * day, "2026-03-01"}}));
  EXPECT_EQ(open, "2026-04-01");
}

// W=31, samples each 2.5 give files at 32.5 and 65; W=1: the name lags behind.
TEST(SeriesClock, FollowsAConventionThatDrifts) {
  const time::Convention& monc = settings::convention_of("monc");
  std::vector<double> times;
  for (double time = 2.5; time < 80.0; time += 2.5) times.push_back(time);
  const time::Period steps = time::Period::of_steps(1);
  EXPECT_EQ(ends_of(file_of(time::Period::of_seconds(31), steps, monc), times),
            (Ends{{32.5, "31.0"}, {65.0, "62.0"}}));
  EXPECT_EQ(ends_of(file_of(time::Period::of_seconds(1), steps, monc), each_2_5).back(),
            std::pair(25.0, std::string("10.0")));
}

TEST(PathOfPart, PutsThePartWhereTheConventionSays) {
  const time::Convention& standard = time::standard_convention();
  const time::Convention& monc = settings::convention_of("monc");
  EXPECT_EQ(path_of_part("out/a.nc", "100.0", standard), "out/a_100.0.nc");
  EXPECT_EQ(path_of_part("./run.1/a.b.nc", "5", standard), "./run.1/a.b_5.nc");
  EXPECT_EQ(path_of_part("./run.1/a.b.nc", "5", monc), "./run.1/a_5.b.nc");
  EXPECT_EQ(path_of_part("run.1/a", "5", standard), "run.1/a_5");
  EXPECT_EQ(path_of_part("run.1/a", "5", monc), "run.1/a_5");
  EXPECT_EQ(path_of_part(".hidden", "5", standard), ".hidden_5");
}

}  // namespace
}  // namespace tailrace::plan
