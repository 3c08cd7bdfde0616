#include "handshake/ready/existing_files.hpp"

#include <gmock/gmock.h>

#include "tailrace/error.hpp"

namespace tailrace::handshake {
namespace {

using output::IfExists;

// Files a.nc and b.nc, of which b.nc makes a new file each hour.
plan::Plan plan_of(std::optional<IfExists> if_exists) {
  plan::Plan plan;
  for (const char* path : {"a.nc", "b.nc"}) {
    plan::DatasetPlan& file = plan.files.emplace_back();
    file.entry.path = path;
    file.entry.location = {"run.yaml", static_cast<int>(plan.files.size()), 3};
    file.entry.if_exists = if_exists;
    if (if_exists) file.entry.if_exists_location = {"run.yaml", 9, 16};
  }
  plan.files[1].entry.write_every = time::Period::of_seconds(3600.0);
  plan.files[1].entry.series = true;
  return plan;
}

std::string complaint(const plan::Plan& plan, double begin, const env::FileSystem& files,
                      const EarlierJobs& earlier = {}) {
  try {
    look_at_existing_files(plan, {0, begin}, files, earlier);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(ExistingFiles, AreReplacedByARunFromTheBeginning) {
  const auto files = env::make_memory_files();
  files->write("a.nc", "precious");
  EXPECT_EQ(complaint(plan_of({}), 0.0, *files), "none");
  EXPECT_EQ(complaint(plan_of(IfExists::replace), 7200.0, *files), "none");
  EXPECT_EQ(
      complaint(plan_of(IfExists::fail), 0.0, *files),
      "run.yaml:9:16  output.a.nc.if_exists: the file a.nc exists, and `if_exists: fail` does not allow it "
      "to be replaced; move it, or use `replace` or another path");
}

TEST(ExistingFiles, AreKeptByARunThatFindsNoCheckpointUnlessItMadeThem) {
  const auto files = env::make_memory_files();
  files->write("a.nc", "precious");
  files->write("b_3600.0.nc", "precious");
  EarlierJobs earlier{
      .checkpoints = "restart/model", .location = {}, .files = {}, .output = {}, .step = {}, .original = {}};
  earlier.begins_unasked = true;
  EXPECT_EQ(complaint(plan_of(IfExists::replace), 0.0, *files, earlier), "none");
  EXPECT_THAT(complaint(plan_of({}), 0.0, *files, earlier),
              testing::AllOf(
                  testing::StartsWith("run.yaml:1:3  output.a.nc: the file a.nc exists, but there is no "
                                      "checkpoint in restart/model from which the run could go on with it."),
                  testing::HasSubstr("\nrun.yaml:2:3  output.b.nc: the file b_3600.0.nc exists, but")));
  earlier.files.files = {"a.nc"};
  EXPECT_THAT(complaint(plan_of({}), 0.0, *files, earlier), testing::StartsWith("run.yaml:2:3  output.b.nc"));
  earlier.files.begun = {{"b_3600.0.nc", "b.nc", -1}};
  EXPECT_EQ(complaint(plan_of({}), 0.0, *files, earlier), "none");
  earlier.files = {};
  earlier.begins_unasked = false;  // restart: never
  EXPECT_EQ(complaint(plan_of({}), 0.0, *files, earlier), "none");
}

TEST(ExistingFiles, AreKeptByARunThatGoesOn) {
  const auto files = env::make_memory_files();
  files->write("b_3600.0.nc", "of the run before");
  EXPECT_EQ(complaint(plan_of({}), 3600.0, *files), "none");
  files->write("a.nc", "precious");
  files->write("b_7200.0.nc", "precious");
  const std::string said = complaint(plan_of({}), 3600.0, *files);
  EXPECT_THAT(said,
              testing::StartsWith("run.yaml:1:3  output.a.nc: the file a.nc exists, and this run begins at "
                                  "3600 s of model time, so it may continue an earlier run"));
  EXPECT_THAT(said, testing::HasSubstr("\nrun.yaml:2:3  output.b.nc: the file b_7200.0.nc exists, and"));
  EXPECT_THAT(said,
              testing::HasSubstr("expected a section `checkpoint` in that run and in this one, which then "
                                 "goes on inside the files, another path, `if_exists: append` or "
                                 "`if_exists: replace`"));
  plan::Plan with_checkpoints = plan_of({});
  with_checkpoints.has_checkpoints = true;
  EXPECT_THAT(
      complaint(with_checkpoints, 3600.0, *files),
      testing::HasSubstr("expected a checkpoint of that run for `checkpoint.restart`, another path or "
                         "`if_exists: replace`"));
}

TEST(ExistingFiles, MatterOnlyWhereTheyWouldBeWritten) {
  const auto files = env::make_memory_files();
  files->write("a.nc", "precious");
  plan::Plan plan = plan_of(IfExists::fail);
  plan.files[0].entry.on_error = settings::OnError::skip;
  EXPECT_EQ(complaint(plan, 0.0, *files), "none");
  plan.files[0].entry.on_error = settings::OnError::stop;
  plan.files[0].entry.format = "memory";
  EXPECT_EQ(complaint(plan, 0.0, *files), "none");
}

TEST(ExistingFiles, ThatAreToGrowButCannotAreRefused) {
  const auto files = env::make_memory_files();
  const plan::Plan plan = plan_of(IfExists::append);
  EXPECT_THAT(look_at_existing_files(plan, {0, 3600.0}, *files),
              testing::ElementsAre(plan::ContinuedAxes(), plan::ContinuedAxes()));
  files->write("a.nc", "precious");
  EXPECT_THAT(
      complaint(plan, 3600.0, *files),
      testing::StartsWith("run.yaml:9:16  output.a.nc.if_exists: the file a.nc cannot be continued: a.nc: "));
}

TEST(ExistingFiles, TellTheServersWhereTheyGoOn) {
  const std::vector<plan::ContinuedAxes> continued{{}, {{.records = 7, .has_begin = true}, {.records = 0}}};
  base::ByteWriter writer;
  put_continued(writer, continued);
  const auto bytes = writer.take();
  base::ByteReader reader(bytes);
  EXPECT_EQ(get_continued(reader), continued);
}

}  // namespace
}  // namespace tailrace::handshake
