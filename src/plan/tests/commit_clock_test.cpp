// When files commit, and what is in a commit: against a straightforward account of a few runs.
#include "plan/commit_clock.hpp"

#include <gmock/gmock.h>

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t never = std::size_t{1} << 40;

// One file: instants every 2 s (100 bytes a record) and means over 10 s (1000 bytes).
Plan plan_that_writes(time::Period write_every, bool series = false) {
  Plan plan;
  plan.files.resize(1);
  plan.files[0].entry.path = "a.nc";
  plan.files[0].entry.series = series;
  plan.files[0].entry.write_every = write_every;
  const time::Period steps = time::Period::of_steps(1);
  plan.files[0].axes = {{time::AxisKind::instant, time::Period::of_seconds(2), steps, "time_instant_2s"},
                        {time::AxisKind::window, time::Period::of_seconds(10), steps, "time_10s"}};
  return plan;
}

struct Model {
  Plan plan;
  AxisBank axes;
  CommitClock clock;
  std::int64_t step = 0;

  explicit Model(time::Period write_every, std::size_t most_bytes = never, bool series = false)
      : Model(plan_that_writes(write_every, series), most_bytes) {}
  Model(Plan given, std::size_t most_bytes)
      : plan(std::move(given)),
        axes(plan, {0, 0.0}),
        clock(plan.files[0], 0, plan.calendar, {0, 0.0},
              {.bytes_per_record = {100, 1000}, .most_bytes = most_bytes}) {}
  std::optional<CommitDue> to(double time) {
    const model::Tick tick{++step, time};
    axes.advance(tick);
    return clock.advance(axes, tick);
  }
};

// The records of a commit, as (axis, index, end).
std::vector<std::tuple<int, std::int64_t, double>> records_of(const CommitDue& due) {
  std::vector<std::tuple<int, std::int64_t, double>> records;
  for (std::size_t axis = 0; axis < due.records.size(); ++axis)
    for (const time::TimeRecord& record : due.records[axis])
      records.emplace_back(static_cast<int>(axis), record.index, record.end);
  return records;
}

TEST(CommitClock, CommitsAtTheFirstTickAtOrPastEachMultiple) {
  Model run(time::Period::of_seconds(5));
  std::vector<std::pair<double, std::vector<std::int64_t>>> commits;
  for (const double time : {1.5, 3.0, 4.5, 6.0, 7.5, 9.0, 10.5, 12.0, 21.0})
    if (const auto due = run.to(time)) {
      EXPECT_EQ(due->tick.time, time);
      EXPECT_FALSE(due->final);
      commits.emplace_back(time, due->lengths);
    }
  // Instants at 3, 4.5, 6, 9, 10.5, 12 and 21 s; means until 10 and 20 s.
  EXPECT_THAT(commits, ElementsAre(std::pair(6.0, std::vector<std::int64_t>{3, 0}),
                                   std::pair(10.5, std::vector<std::int64_t>{5, 1}),
                                   std::pair(21.0, std::vector<std::int64_t>{7, 2})));
}

// A run that is stopped commits at once what steps have closed whose samples are all there.
TEST(CommitClock, CommitsBeforeItsTimeWhatStepsHaveClosed) {
  Model run(time::Period::of_seconds(99));
  for (const double time : {1.5, 3.0, 6.0, 10.5}) run.to(time);  // instants at steps 2, 3, 4; a mean at 4
  EXPECT_FALSE(run.clock.commit_until(run.axes, {1, 1.5}));
  const auto due = run.clock.commit_until(run.axes, {3, 6.0});
  ASSERT_TRUE(due);
  EXPECT_THAT(records_of(*due), ElementsAre(std::tuple(0, 0, 3.0), std::tuple(0, 1, 6.0)));
  EXPECT_THAT(due->lengths, ElementsAre(2, 0));
  EXPECT_EQ(due->tick.step, 3);
  EXPECT_FALSE(due->final);
  EXPECT_FALSE(run.clock.commit_until(run.axes, {3, 6.0}));  // once
  const CommitDue last = run.clock.finish(run.axes);
  EXPECT_THAT(records_of(last),
              ElementsAre(std::tuple(0, 2, 10.5), std::tuple(1, 0, 10.0), std::tuple(1, 1, 10.5)));
}

TEST(CommitClock, TakesTheRecordsOfEarlierStepsOutOfACommit) {
  Model run(time::Period::of_seconds(99));
  for (const double time : {2.5, 4.5, 10.5, 11.5}) run.to(time);
  CommitDue due =
      run.clock.finish(run.axes);  // instants at steps 1, 2, 3; a mean at 3, and what finish closes
  const CommitDue taken = take_until(due, 2);
  EXPECT_THAT(records_of(taken), ElementsAre(std::tuple(0, 0, 2.5), std::tuple(0, 1, 4.5)));
  EXPECT_THAT(taken.lengths, ElementsAre(2, 0));
  EXPECT_THAT(take_until(due, 4).lengths, ElementsAre(3, 1));
  EXPECT_THAT(records_of(due),
              ElementsAre(std::tuple(1, 1, 11.5)));  // of an open window: no step makes it whole
  EXPECT_THAT(due.lengths, ElementsAre(3, 2));
}

TEST(CommitClock, EachRecordIsInOneCommit) {
  Model run(time::Period::of_seconds(5));
  std::vector<std::tuple<int, std::int64_t, double>> all;
  for (const double time : {3.0, 6.0, 9.0, 12.0})
    if (const auto due = run.to(time))
      for (const auto& record : records_of(*due)) all.push_back(record);
  const CommitDue last = run.clock.finish(run.axes);
  for (const auto& record : records_of(last)) all.push_back(record);
  EXPECT_THAT(all, ElementsAre(std::tuple(0, 0, 3.0), std::tuple(0, 1, 6.0), std::tuple(0, 2, 9.0),
                               std::tuple(0, 3, 12.0), std::tuple(1, 0, 10.0), std::tuple(1, 1, 12.0)));
}

TEST(CommitClock, EachWriteEndsAFileOfASeries) {
  Model run(time::Period::of_seconds(5), never, true);
  std::vector<std::pair<double, std::string>> ended;
  for (const double time : {1.5, 3.0, 4.5, 6.0, 7.5, 9.0, 10.5, 12.0, 21.0, 23.0})
    if (const auto due = run.to(time)) {
      EXPECT_TRUE(due->ends_part);
      ended.emplace_back(time, due->part);
    }
  EXPECT_THAT(ended, ElementsAre(std::pair(6.0, "a_5.0.nc"), std::pair(10.5, "a_10.0.nc"),
                                 std::pair(21.0, "a_20.0.nc")));
  const CommitDue last = run.clock.finish(run.axes);
  EXPECT_EQ(last.part, "a_25.0.nc");
  EXPECT_FALSE(last.ends_part);
  EXPECT_EQ(last.lengths[0], 8);
}

// A file whose first commit comes early, because much has gathered, is named before it is known when it ends.
TEST(CommitClock, AFileOfASeriesKeepsItsName) {
  Model run(time::Period::of_seconds(100), 250, true);
  std::vector<std::tuple<double, std::string, bool>> commits;
  for (double time = 2.0; time<330.0; time += time> 110.0 ? 195.0 : 12.0)
    if (const auto due = run.to(time)) commits.emplace_back(time, due->part, due->ends_part);
  EXPECT_THAT(commits, testing::Contains(std::tuple(14.0, "a_100.0.nc", false)));
  EXPECT_THAT(commits, testing::Contains(std::tuple(110.0, "a_100.0.nc", true)));
  EXPECT_THAT(commits, testing::Contains(std::tuple(317.0, "a_200.0.nc", true)));
  EXPECT_EQ(run.clock.finish(run.axes).part, "a_400.0.nc");
}

// Chunks of 4 and 3 records; files of 30 s, commits each 8 s.
Plan plan_with_new_files() {
  Plan plan = plan_that_writes(time::Period::of_seconds(8));
  plan.files[0].entry.new_file_every = time::Period::of_seconds(30);
  plan.files[0].axes[0].chunk_alignment = 4;
  plan.files[0].axes[1].chunk_alignment = 3;
  return plan;
}

TEST(CommitClock, NewFilesBeginApartFromCommits) {
  Model run(plan_with_new_files(), never);
  std::vector<std::tuple<double, std::string, bool>> commits;
  std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>> records;  // begins, lengths
  for (double time = 2.5; time <= 45.0; time += 2.5)
    if (const auto due = run.to(time)) {
      commits.emplace_back(time, due->part, due->ends_part);
      records.emplace_back(due->begins, due->lengths);
    }
  const std::string first = "a_0.0-30.0.nc", second = "a_30.0-60.0.nc";
  EXPECT_THAT(commits, ElementsAre(std::tuple(10.0, first, false), std::tuple(17.5, first, false),
                                   std::tuple(25.0, first, false), std::tuple(30.0, first, true),
                                   std::tuple(32.5, second, false), std::tuple(40.0, second, false)));
  // Instants each 2.5 s, and means over 10 s: 12 and 3 of the first file, which are 3 chunks and one.
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(records[3], std::pair(Numbers({0, 0}), Numbers({12, 3})));
  EXPECT_EQ(records[4], std::pair(Numbers({12, 3}), Numbers({13, 3})));
  EXPECT_EQ(records[5], std::pair(Numbers({12, 3}), Numbers({16, 4})));
  const CommitDue gathered = run.clock.gathered(run.axes);
  EXPECT_EQ(gathered.part, second);
  EXPECT_EQ(gathered.begins, Numbers({12, 3}));
}

// The second file begins with a chunk, whatever the first one left open.
TEST(CommitClock, ChunksCountFromTheStartOfEachFile) {
  Model run(plan_with_new_files(), never);
  for (const double time : {7.0, 14.0, 21.0, 28.0}) run.to(time);
  const auto ended = run.to(35.0);  // the 5th instant; of means those until 10, 20 and 30 s
  ASSERT_TRUE(ended && ended->ends_part);
  EXPECT_THAT(ended->lengths, ElementsAre(5, 3));
  const auto next = run.to(42.0);
  ASSERT_TRUE(next);
  EXPECT_THAT(next->begins, ElementsAre(8, 3));
  EXPECT_THAT(records_of(*next), ElementsAre(std::tuple(0, 8, 42.0), std::tuple(1, 3, 40.0)));
  EXPECT_THAT(next->lengths, ElementsAre(9, 4));
}

// A step that is longer than a window closes windows of two files.
TEST(CommitClock, AWindowBehindTheEndIsOfTheNextFile) {
  Model run(plan_with_new_files(), never);
  run.to(7.0);
  const auto ended = run.to(54.0);
  ASSERT_TRUE(ended && ended->ends_part);
  EXPECT_THAT(records_of(*ended),
              ElementsAre(std::tuple(0, 0, 7.0), std::tuple(0, 1, 54.0), std::tuple(1, 0, 10.0),
                          std::tuple(1, 1, 20.0), std::tuple(1, 2, 30.0)));
  const CommitDue last = run.clock.finish(run.axes);
  EXPECT_THAT(records_of(last),
              ElementsAre(std::tuple(1, 3, 40.0), std::tuple(1, 4, 50.0), std::tuple(1, 5, 54.0)));
  EXPECT_THAT(last.begins, ElementsAre(4, 3));
  EXPECT_EQ(last.part, "a_30.0-60.0.nc");
}

TEST(CommitClock, WritesByStepsToo) {
  Model run(time::Period::of_steps(3));
  std::vector<std::int64_t> steps;
  for (int step = 1; step <= 7; ++step)
    if (run.to(2.0 * step)) steps.push_back(step);
  EXPECT_THAT(steps, ElementsAre(3, 6));
}

TEST(CommitClock, HasNothingToCommitWithoutRecords) {
  Model run(time::Period::of_steps(1));
  EXPECT_FALSE(run.to(0.5));
  EXPECT_FALSE(run.to(1.5));
  const auto due = run.to(2.0);
  ASSERT_TRUE(due);
  EXPECT_THAT(due->lengths, ElementsAre(1, 0));
}

TEST(CommitClock, CommitsEarlyWhenMuchHasGathered) {
  Model run(time::Period::of_seconds(1000), 300);
  std::vector<double> times;
  for (double time = 2; time <= 20; time += 2)
    if (run.to(time)) times.push_back(time);
  // 100 bytes every 2 s, and another 1000 at 10 and 20 s.
  EXPECT_THAT(times, ElementsAre(6.0, 10.0, 16.0, 20.0));
}

TEST(CommitClock, TheEndClosesWhatIsOpen) {
  Model run(time::Period::of_seconds(1000));
  EXPECT_FALSE(run.to(4.0));
  EXPECT_FALSE(run.to(13.0));
  const CommitDue due = run.clock.finish(run.axes);
  EXPECT_TRUE(due.final);
  EXPECT_EQ(due.tick.time, 13.0);
  EXPECT_THAT(due.lengths, ElementsAre(2, 2));
  ASSERT_THAT(due.records[1], SizeIs(2));
  EXPECT_EQ(due.records[1][1].begin, 10.0);
  EXPECT_EQ(due.records[1][1].end, 13.0);
  EXPECT_FALSE(due.records[1][1].whole);
}

TEST(CommitClock, TheEndComesEvenWithoutAnyStep) {
  Model run(time::Period::of_seconds(5));
  const CommitDue due = run.clock.finish(run.axes);
  EXPECT_TRUE(due.final);
  EXPECT_THAT(due.lengths, ElementsAre(0, 0));
  EXPECT_THAT(due.records, ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(AxisBank, KeepsEqualAxesOnce) {
  Plan plan = plan_that_writes(time::Period::of_steps(1));
  plan.files.push_back(plan.files[0]);
  plan.files[1].axes[0].dim = "time";  // a name of its own makes no axis
  std::swap(plan.files[1].axes[0], plan.files[1].axes[1]);
  AxisBank bank(plan, {0, 0.0});
  EXPECT_EQ(bank.number(0, 0), bank.number(1, 1));
  EXPECT_EQ(bank.number(0, 1), bank.number(1, 0));
  EXPECT_NE(bank.number(0, 0), bank.number(0, 1));
  EXPECT_THAT(bank.shares(0), IsEmpty()) << "before the first tick";
  bank.advance({1, 2.0});
  ASSERT_THAT(bank.shares(bank.number(1, 1)), SizeIs(1));
  EXPECT_TRUE(bank.shares(bank.number(1, 1))[0].closes);
}

// The files that a model opens end between two ticks.
TEST(CommitClock, PutsTheRecordOfATickIntoTheFileThatIsOpenThen) {
  Plan plan = plan_that_writes(time::Period::of_steps(1));
  plan.files[0].entry.is_opened_by_model = true;
  plan.files[0].axes.pop_back();
  Model run(std::move(plan), never);
  const auto open = [&run](const std::string& path) {
    run.axes.end_files_of_model();
    auto last = run.clock.end_file_of_model(run.axes);
    run.axes.name_file(0, path);
    return last;
  };
  EXPECT_FALSE(open("a.nc"));
  const auto first = run.to(2.0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->part, "a.nc");
  EXPECT_FALSE(first->ends_part);
  const auto last = open("b.nc");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->part, "a.nc");
  EXPECT_TRUE(last->ends_part);
  EXPECT_FALSE(open("c.nc"));  // b.nc got no record
  const auto next = run.to(4.0);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->part, "c.nc");
  EXPECT_THAT(next->begins, ElementsAre(1));
  EXPECT_THAT(next->lengths, ElementsAre(2));
  EXPECT_TRUE(open("")->ends_part);
  const CommitDue end = run.clock.finish(run.axes);
  EXPECT_EQ(end.part, "");
  EXPECT_THAT(end.records, ElementsAre(IsEmpty()));
}

}  // namespace
}  // namespace tailrace::plan
