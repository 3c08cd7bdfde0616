// Tests a file on its owner when writing fails: the dataset is in memory, and the test chooses the commits
// that fail.
#include "sinks/dataset_sink.hpp"

#include <gmock/gmock.h>

#include <future>
#include <map>
#include <set>

#include "env/clock.hpp"
#include "env/testing/inline_executor.hpp"
#include "output/memory/memory_format.hpp"

namespace tailrace::sinks {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The operations that must fail, by path. Calls are counted from 1.
struct Plans {
  bool create = false;
  bool close = false;
  std::set<int> commits;
  int tried = 0;
};
std::map<std::string, Plans>& plans() {
  static std::map<std::string, Plans> plans;
  return plans;
}

void fail_if(bool refused, const std::string& path, const char* what) {
  if (refused) throw Error(ErrorCode::resource, path + ": " + what + ": No space left on device");
}

class ShakyDataset final : public output::Dataset {
 public:
  ShakyDataset(std::string path, std::unique_ptr<output::Dataset> memory)
      : path_(std::move(path)), memory_(std::move(memory)) {}
  void commit(const output::Commit& commit) override {
    Plans& plan = plans()[path_];
    fail_if(plan.commits.contains(++plan.tried), path_, "cannot write");
    memory_->commit(commit);
  }
  void close() override {
    fail_if(plans()[path_].close, path_, "cannot close");
    memory_->close();
  }
  std::uint64_t bytes_on_disk() const override { return 4711; }

 private:
  std::string path_;
  std::unique_ptr<output::Dataset> memory_;
};

class ShakyFormat final : public output::Format {
 public:
  std::string name() const override { return "shaky"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec& spec, env::FileSystem&) const override {
    fail_if(plans()[spec.path].create, spec.path, "cannot create");
    return std::make_unique<ShakyDataset>(spec.path, output::find_format("memory")->create(spec));
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
};

const output::FormatRegistration registration{std::make_unique<ShakyFormat>()};

// A file with one variable w(time, x) of instants every second, x = 2 or more, one chunk a record, on a
// server of its own.
struct Bench {
  plan::DatasetPlan plan;
  cf::DatasetLayout layout;
  telemetry::ServerCounters counters;
  env::testing::InlineExecutor executor;
  std::unique_ptr<Sink> file;

  Bench(const std::string& path, settings::OnError on_error, std::size_t cells = 2) : cells_(cells) {
    const auto extent = static_cast<std::int64_t>(cells);
    plan.entry.path = path;
    plan.entry.format = "shaky";
    plan.entry.on_error = on_error;
    const time::Period second = time::Period::of_seconds(1);
    plan.axes = {{time::AxisKind::instant, second, time::Period::of_steps(1), "time"}};
    plan::VariablePlan variable;
    variable.name = "w";
    variable.field = 0;
    variable.axis = 0;
    variable.chunk = {1, extent};
    plan.variables = {variable};
    model::Declarations declarations;
    declarations.component = "bubble";
    declarations.grids.resize(1);
    declarations.grids[0] = {"les", model::GridKind::block, {"x"}, {extent}, "", {}, {}};
    declarations.fields.resize(1);
    declarations.fields[0].name = "w";
    declarations.fields[0].grid = 0;
    settings::Configuration configuration;
    layout = cf::make_layout(plan, configuration, declarations, {{{model::Region::of_box({{0}, {extent}})}}},
                             "now");
  }
  void create() {
    file = make_sink({.plan = plan, .layout = layout, .file = 0, .server = 0, .owners = Owners(0, 1)},
                     SinkServices{executor, counters, nullptr, nullptr, env::steady_seconds()});
  }
  // Record `index`, at index + 1 seconds, holds (index, -index, index, index, ...); it is a commit of its
  // own.
  void give(std::int64_t index, bool final = false) {
    std::vector<double> values(cells_, static_cast<double>(index));
    values[1] = -values[0];
    const auto bytes = std::as_bytes(std::span(values));
    file->deliver(0, {0, index, index + 1, true, std::vector<std::byte>(bytes.begin(), bytes.end())});
    point(index + 1, final);
  }
  void point(std::int64_t length, bool final) {
    plan::CommitDue due;
    due.lengths = {length};
    due.records.resize(1);
    const auto time = static_cast<double>(length);
    if (!final) due.records[0].push_back({length - 1, time, time, length - 1, length, true});
    due.tick = {length, time};
    due.final = final;
    file->point(due);
  }
  void run() {
    while (file->progress()) {
    }
  }
  void run_until_closed() {
    const double begin = env::steady_seconds();
    while (!file->closed() && env::steady_seconds() - begin < 20.0) run();
  }
  std::vector<double> written() const {
    return output::memory::contents_of(plan.entry.path)->values<double>("w");
  }
  std::vector<double> times() const {
    return output::memory::contents_of(plan.entry.path)->values<double>("time");
  }

 private:
  std::size_t cells_;
};

TEST(DatasetSink, WritesWhatIsCompleteAndClosesAtTheEnd) {
  Bench bench("good", settings::OnError::stop);
  bench.create();
  bench.give(0);
  bench.point(2, false);  // its chunk is not there yet
  bench.run();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
  EXPECT_EQ(bench.file->written_step(), 1);
  EXPECT_EQ(bench.file->status()->commits, 1U);
  EXPECT_EQ(bench.file->status()->model_time, 1.0);
  EXPECT_EQ(
      bench.file->describe(),
      "\n    file good: the commit at 2 s of model time lacks 1 chunks, the first one of variable number " +
          std::to_string(bench.layout.variables[0].variable) + ", record 1");
  const std::vector<double> values{1, -1};
  const auto bytes = std::as_bytes(std::span(values));
  bench.file->deliver(0, {0, 1, 2, true, std::vector<std::byte>(bytes.begin(), bytes.end())});
  EXPECT_EQ(bench.file->due_bytes(1), 0U);
  EXPECT_EQ(bench.file->due_bytes(2), 16U);
  bench.point(2, true);
  bench.run_until_closed();
  EXPECT_TRUE(bench.file->closed());
  EXPECT_FALSE(bench.file->take_fault());
  EXPECT_THAT(bench.written(), ElementsAre(0, 0, 1, -1));
  EXPECT_THAT(bench.times(), ElementsAre(1, 2));
  EXPECT_EQ(bench.file->written_step(), INT64_MAX);
  EXPECT_EQ(bench.counters.files[0].disk_bytes.get(), 4711U);
  EXPECT_EQ(bench.counters.files[0].records.get(), 2U);
  EXPECT_EQ(bench.counters.commits.get(), 3U);
  EXPECT_EQ(bench.file->describe(), "\n    file good: closed");
}

TEST(DatasetSink, StopTellsTheModelAndKeepsWhatWasCommitted) {
  Bench bench("stop", settings::OnError::stop);
  plans()["stop"].commits = {2};
  bench.create();
  for (std::int64_t record = 0; record < 3; ++record) bench.give(record);
  bench.run();
  const auto fault = bench.file->take_fault();
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, ErrorCode::resource);
  EXPECT_EQ(
      fault->message,
      "stop: cannot write: No space left on device; what was committed until 1 s of model time is in the "
      "file");
  EXPECT_FALSE(bench.file->take_fault()) << "told once";
  EXPECT_TRUE(bench.file->closed());
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
  bench.give(3);  // what still comes is dropped
  EXPECT_FALSE(bench.file->progress());
  EXPECT_EQ(bench.file->due_bytes(100), 0U) << "a file that is given up holds no step back";
  EXPECT_EQ(bench.file->written_step(), INT64_MAX);
}

TEST(DatasetSink, SkipSaysSoAndLetsTheRunGoOn) {
  Bench bench("skip", settings::OnError::skip);
  plans()["skip"].commits = {2};
  bench.create();
  testing::internal::CaptureStderr();
  for (std::int64_t record = 0; record < 3; ++record) bench.give(record);
  bench.run();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tailrace: warning: skip: cannot write: No space left on device; what was committed "
                        "until 1 s of model "
                        "time is in the file (on_error: skip: the file is given up, the run continues)"));
  EXPECT_FALSE(bench.file->take_fault());
  EXPECT_TRUE(bench.file->closed());
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
}

TEST(DatasetSink, RetryWritesTheSameCommitAgain) {
  Bench bench("retry", settings::OnError::retry);
  plans()["retry"].commits = {2};
  bench.plan.entry.location = {"run.yaml", 7, 3};
  bench.create();
  testing::internal::CaptureStderr();
  for (std::int64_t record = 0; record < 3; ++record) bench.give(record);
  bench.run();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0)) << "not at once";
  EXPECT_FALSE(bench.file->closed());
  EXPECT_GE(bench.file->due_bytes(3), 16U) << "what waits to be tried again is held";
  bench.point(3, true);
  bench.run_until_closed();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("warning: run.yaml:7:3  output.retry: cannot write: No space left on device; trying "
                        "again (on_error: retry)"));
  EXPECT_TRUE(bench.file->closed());
  EXPECT_FALSE(bench.file->take_fault());
  EXPECT_THAT(bench.written(), ElementsAre(0, 0, 1, -1, 2, -2));
  EXPECT_THAT(bench.times(), ElementsAre(1, 2, 3));
}

TEST(DatasetSink, RetryGivesUpInTheEnd) {
  Bench bench("hopeless", settings::OnError::retry);
  bench.plan.entry.retry_for_seconds = 0.5;
  plans()["hopeless"].commits = {1, 2, 3, 4, 5, 6};
  bench.create();
  testing::internal::CaptureStderr();
  bench.give(0);
  bench.run_until_closed();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(bench.file->closed());
  const auto fault = bench.file->take_fault();
  ASSERT_TRUE(fault);
  EXPECT_THAT(fault->message, HasSubstr("until 0 s of model time"));
  EXPECT_EQ(plans()["hopeless"].tried, 2);
}

TEST(DatasetSink, AFileThatCannotBeCreatedIsAnErrorOrSkipped) {
  plans()["nowhere"].create = true;
  for (const settings::OnError policy : {settings::OnError::stop, settings::OnError::retry}) {
    Bench bench("nowhere", policy);
    EXPECT_THROW(bench.create(), Error);
  }
  Bench bench("nowhere", settings::OnError::skip);
  testing::internal::CaptureStderr();
  bench.create();
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      HasSubstr("nowhere: cannot create: No space left on device; the file is skipped (on_error: skip)"));
  EXPECT_TRUE(bench.file->closed());
  bench.give(0);
  EXPECT_FALSE(bench.file->progress());
}

TEST(DatasetSink, AFileThatCannotBeClosedIsAFault) {
  Bench bench("unclosed", settings::OnError::stop);
  plans()["unclosed"].close = true;
  bench.create();
  bench.give(0);
  bench.point(1, true);
  bench.run_until_closed();
  ASSERT_TRUE(bench.file->take_fault());
  EXPECT_TRUE(bench.file->closed());
}

TEST(DatasetSink, GivenUpItWritesWhatIsCompleteAndCloses) {
  Bench bench("given_up", settings::OnError::stop);
  bench.create();
  bench.give(0);
  bench.point(2, false);  // will never be complete
  bench.file->give_up();
  bench.run_until_closed();
  EXPECT_TRUE(bench.file->closed());
  EXPECT_FALSE(bench.file->take_fault());
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
}

// One I/O task after the other, on threads of their own.
struct OneWriter final : env::testing::InlineExecutor {
  std::shared_future<void> last;
  void write(Work work) override {
    last = std::async(std::launch::async, [before = last, work = std::move(work)] {
             if (before.valid()) before.wait();
             work();
           }).share();
  }
};

TEST(DatasetSink, WaitsForTheCommitUnderWayBeforeItEnds) {
  Bench bench("under_way", settings::OnError::stop);
  OneWriter writer;
  bench.file =
      make_sink({.plan = bench.plan, .layout = bench.layout, .file = 0, .server = 0, .owners = Owners(0, 1)},
                SinkServices{writer, bench.counters, nullptr, nullptr, env::steady_seconds()});
  bench.give(0);
  writer.write([] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  bench.file->progress();
  bench.file.reset();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
}

TEST(DatasetSink, SmallCommitsWaitForEachOtherWhereNoPeriodIsGiven) {
  Bench bench("gathers", settings::OnError::stop);
  bench.plan.entry.gathers = true;
  bench.create();
  bench.give(0);
  bench.run();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0)) << "the first one does not wait";
  bench.give(1);
  bench.give(2);
  bench.run();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0));
  EXPECT_EQ(bench.file->written_step(), 3) << "they do not wait for the disk";
  EXPECT_EQ(bench.file->status()->model_time, 1.0);
  EXPECT_EQ(bench.file->bytes(), 32U);
  EXPECT_FALSE(bench.file->at_rest());
  bench.point(3, true);
  bench.run_until_closed();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0, 1, -1, 2, -2));
  EXPECT_THAT(bench.times(), ElementsAre(1, 2, 3));
  EXPECT_EQ(plans()["gathers"].tried, 2);
}

// The headers of one variable are worth 9 KiB, 16 times of which a commit must bring to go at once.
TEST(DatasetSink, CommitsThatTheDiskIsBehindWithGoTogetherUpToThreeQuarters) {
  constexpr std::size_t cells = 20'000;
  for (const bool gathers : {true, false}) {
    Bench bench(gathers ? "behind" : "not_behind", settings::OnError::stop, cells);
    bench.plan.entry.gathers = gathers;
    bench.create();
    for (std::int64_t record = 0; record < 7; ++record) bench.give(record);
    bench.point(7, true);
    bench.run_until_closed();
    EXPECT_THAT(bench.times(), ElementsAre(1, 2, 3, 4, 5, 6, 7));
    const auto values = bench.written();
    ASSERT_EQ(values.size(), 7 * cells);
    for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(values[i * cells + 1], -static_cast<double>(i));
    EXPECT_EQ(plans()[bench.plan.entry.path].tried, gathers ? 2 : 7) << "six, then the last one";
  }
}

TEST(DatasetSink, SmallCommitsWaitNoLongerWhereMemoryIsShort) {
  Bench bench("gathers_soon", settings::OnError::stop);
  bench.plan.entry.gathers = true;
  bench.create();
  bench.give(0);
  bench.run();
  bench.give(1);
  bench.give(2);
  bench.run();
  bench.file->write_soon();
  bench.run();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0, 1, -1, 2, -2));
  EXPECT_EQ(bench.file->bytes(), 0U);
  bench.give(3);
  bench.run();
  EXPECT_GT(bench.file->bytes(), 0U) << "the next ones wait again";
  bench.file->give_up();
  bench.run_until_closed();
}

TEST(DatasetSink, GivenUpItWritesWhatWaits) {
  Bench bench("gathers_given_up", settings::OnError::stop);
  bench.plan.entry.gathers = true;
  bench.create();
  for (std::int64_t record = 0; record < 3; ++record) bench.give(record);
  bench.run();
  bench.file->give_up();
  bench.run_until_closed();
  EXPECT_THAT(bench.written(), ElementsAre(0, 0, 1, -1, 2, -2));
}

}  // namespace
}  // namespace tailrace::sinks
