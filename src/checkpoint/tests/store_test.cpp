// One job at a time, and what is removed.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "checkpoint/tests/samples.hpp"
#include "env/faulty/faulty_files.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Store : public ::testing::Test {
 protected:
  std::vector<std::int64_t> steps() {
    std::vector<std::int64_t> steps;
    for (const FoundCheckpoint& checkpoint : find_checkpoints(*files, checkpoints))
      if (checkpoint.state == FoundCheckpoint::State::complete) steps.push_back(checkpoint.step);
    return steps;
  }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "checkpoints/atmosphere";
};

TEST_F(Store, is_held_by_one_job) {
  auto first = std::make_unique<CheckpointStore>(*files, "checkpoints", "atmosphere");
  const std::string holder = fmt::format("{} (process {})", env::host_name(), env::process_id());
  EXPECT_EQ(holder_of(*files, checkpoints), holder);
  EXPECT_EQ(message_of([&] { CheckpointStore(*files, "checkpoints", "atmosphere"); }),
            "the checkpoints of component \"atmosphere\" in checkpoints/atmosphere are in use by another job "
            "that still "
            "runs, on " +
                holder + "; wait for its end, or end it");
  CheckpointStore other(*files, "checkpoints", "ocean");
  first.reset();
  EXPECT_EQ(holder_of(*files, checkpoints), "");
  CheckpointStore second(*files, "checkpoints", "atmosphere");
  EXPECT_EQ(holder_of(*files, "nowhere"), "");
}

TEST_F(Store, keeps_the_newest) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  for (const std::int64_t step : {10, 20, 30, 40}) write_checkpoint(*files, store, step);
  store.prune(3);
  EXPECT_THAT(steps(), ElementsAre(40, 30, 20));
  files->write(checkpoints + "/step_000000000030/manifest.json", "torn");
  store.prune(2);  // what is damaged does not count
  EXPECT_THAT(steps(), ElementsAre(40, 20));
  store.prune(1);
  EXPECT_THAT(steps(), ElementsAre(40));
  EXPECT_THAT(files->list(checkpoints), ElementsAre("complete", "lock", "step_000000000040"));
}

TEST_F(Store, discards_what_another_run_wrote_later) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  for (const std::int64_t step : {10, 20, 30}) write_checkpoint(*files, store, step);
  ::testing::internal::CaptureStderr();
  store.discard_after(10);
  EXPECT_THAT(
      ::testing::internal::GetCapturedStderr(),
      HasSubstr("checkpoint checkpoints/atmosphere/step_000000000030 is removed: the run continues from step "
                "10\n"));
  EXPECT_THAT(steps(), ElementsAre(10));
  write_checkpoint(*files, store, 20);
  ::testing::internal::CaptureStderr();
  store.discard_after(std::nullopt);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("the run continues from the beginning"));
  EXPECT_THAT(files->list(checkpoints), ElementsAre("complete", "lock"));
}

// It may be a backup that the user made.
TEST_F(Store, discards_nothing_where_one_is_not_to_be_removed) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  for (const std::int64_t step : {10, 20, 30}) write_checkpoint(*files, store, step);
  const std::string copied = checkpoints + "/step_000000000020/manifest.json";
  files->write(copied, files->read(checkpoints + "/step_000000000010/manifest.json"));
  EXPECT_EQ(
      message_of([&] { store.discard_after(std::nullopt); }),
      "checkpoint checkpoints/atmosphere/step_000000000020 is in the way of a run that continues from the "
      "beginning: it has the manifest of step 10. It is not removed; move it, or name another `directory`");
  EXPECT_THAT(files->list(checkpoints), ::testing::IsSupersetOf({"step_000000000010", "step_000000000030"}));
}

TEST_F(Store, makes_room_on_a_full_disk) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  for (const std::int64_t step : {10, 20, 30}) write_checkpoint(*files, store, step);
  env::FaultyFiles full(*files, {.fail_write = 1, .fail_times = 1});
  remove_checkpoint(full, checkpoints + "/step_000000000010");
  EXPECT_THAT(files->list(checkpoints), ElementsAre("lock", "step_000000000020", "step_000000000030"));
}

TEST_F(Store, leaves_what_users_put_beside_a_discarded_checkpoint) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  for (const std::int64_t step : {10, 20}) write_checkpoint(*files, store, step);
  files->write(checkpoints + "/step_000000000020/notes.txt", "mine");
  ::testing::internal::CaptureStderr();
  store.discard_after(std::nullopt);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("checkpoint checkpoints/atmosphere/step_"));
  EXPECT_THAT(files->list(checkpoints), ElementsAre("complete", "lock", "step_000000000020"));
  EXPECT_THAT(files->list(checkpoints + "/step_000000000020"), ElementsAre("notes.txt"));
}

TEST_F(Store, removes_what_killed_jobs_left) {
  {
    CheckpointStore store(*files, "checkpoints", "atmosphere");
    write_checkpoint(*files, store, 10);
    write_shard(*files, checkpoints, 20, 0, 2);
    files->write(checkpoints + "/step_000000000020/manifest.json.new", "half");
    write_shard(*files, checkpoints, 30, 1, 2);
    files->write(checkpoints + "/step_000000000030/notes.txt", "mine");
  }
  ::testing::internal::CaptureStderr();
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("checkpoint checkpoints/atmosphere/step_000000000030 cannot be removed: "));
  EXPECT_THAT(files->list(checkpoints),
              ElementsAre("complete", "lock", "step_000000000010", "step_000000000030"));
  EXPECT_THAT(files->list(checkpoints + "/step_000000000030"), ElementsAre("notes.txt"));
  EXPECT_EQ(newest_whole(*files, checkpoints)->head.step, 10);
}

TEST_F(Store, abandons_a_checkpoint) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  write_shard(*files, checkpoints, 20, 0, 2);
  store.abandon(20);
  store.abandon(20);
  EXPECT_THAT(files->list(checkpoints), ElementsAre("lock"));
  write_checkpoint(*files, store, 30);
  store.abandon(30);
  EXPECT_THAT(steps(), ElementsAre(30));
}

TEST_F(Store, does_not_write_a_checkpoint_twice) {
  CheckpointStore store(*files, "checkpoints", "atmosphere");
  const Manifest manifest = write_checkpoint(*files, store, 10);
  EXPECT_THAT(message_of([&] { store.commit(manifest); }), HasSubstr("step_000000000010 already exists"));
  EXPECT_THAT(message_of([&] { write_shard(*files, checkpoints, 10, 0, 2); }), HasSubstr("already exists"));
  expect_values(*files, checkpoints, 10);
}

// A disk that is full at the n-th write, for every n, and stays so: the checkpoint before is as it was, and
// the next one is written when there is room.
TEST_F(Store, a_disk_that_fails_at_any_write_costs_only_the_new_checkpoint) {
  {
    CheckpointStore store(*files, "checkpoints", "atmosphere");
    write_checkpoint(*files, store, 10);
  }
  bool done = false;
  int failures = 0;
  for (std::uint64_t write = 1; !done; ++write) {
    SCOPED_TRACE(write);
    env::FaultyFiles faulty(*files, {.fail_write = write, .fail_times = 1000000});
    try {
      CheckpointStore store(faulty, "checkpoints", "atmosphere");
      try {
        write_checkpoint(faulty, store, 20);
        done = true;
      } catch (const Error&) {
        store.abandon(20);
        throw;
      }
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.code(), ErrorCode::resource);
      EXPECT_THAT(error.what(), HasSubstr("checkpoints/atmosphere"));
      EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
      EXPECT_THAT(steps(), ElementsAre(10));
    }
    EXPECT_EQ(newest_whole(*files, checkpoints)->head.step, done ? 20 : 10);
  }
  EXPECT_GT(failures, 10);
  expect_values(*files, checkpoints, 20);
}

TEST_F(Store, says_where_it_cannot_write) {
  files->make_directories("checkpoints");
  files->write("checkpoints/atmosphere", "a file");
  EXPECT_THAT(message_of([&] { CheckpointStore(*files, "checkpoints", "atmosphere"); }),
              HasSubstr("checkpoints/atmosphere"));
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
