// Sets that go by way of a burst buffer: where shards are meanwhile, what is drained, and what cannot be.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/pending_checkpoints.hpp"
#include "checkpoint/tests/samples.hpp"
#include "checkpoint/tools.hpp"
#include "env/faulty/faulty_files.hpp"
#include "env/testing/file_system_conformance.hpp"
#include "env/threads.hpp"
#include "output/netcdf/header_only_driver/header_around.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Burst : public ::testing::Test {
 protected:
  Shard write(env::FileSystem& into, std::int64_t step, std::size_t server, std::size_t servers) {
    ShardWriter writer(into, checkpoint_path(checkpoints, step), sample_head(step),
                       shard_name(static_cast<int>(server)), checkpoint_path(buffer, step));
    const auto arrays = sample_arrays();
    for (std::size_t i = server; i < arrays.size(); i += servers)
      writer.save(arrays[i], whole(arrays[i]), sample_values(i, step));
    return writer.finish();
  }

  // A set of two shards on the node, as a job leaves it that is killed before it drains.
  Manifest leave_on_node(std::int64_t step) {
    CheckpointStore store(*files, "restart", "atmosphere");
    Manifest manifest{.head = sample_head(step), .texts = {}, .shards = {}};
    for (const std::size_t server : {0U, 1U}) manifest.shards.push_back(write(*files, step, server, 2));
    store.note_on_nodes(manifest);
    return manifest;
  }

  void damage(const std::string& path) {
    std::string contents = files->read(path);
    contents[contents.size() / 3] ^= 4;
    files->write(path, contents);
  }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "restart/atmosphere";
  const std::string buffer = buffered_path("node", checkpoints);
};

TEST_F(Burst, holds_the_checkpoints_of_each_directory_apart) {
  EXPECT_EQ(buffer, "node" + (std::filesystem::current_path() / checkpoints).string());
  EXPECT_EQ(buffered_path("/local", "/scratch/a/../b/restart/ocean"), "/local/scratch/b/restart/ocean");
}

TEST_F(Burst, shards_wait_on_the_node_until_they_are_drained) {
  const Manifest manifest = leave_on_node(7);
  ASSERT_TRUE(manifest.shards[1].buffered);
  EXPECT_EQ(manifest.shards[1].buffered->host, env::host_name());
  EXPECT_EQ(manifest.shards[1].buffered->path, checkpoint_path(buffer, 7) + "/state.1.nc");
  const FoundCheckpoint found = find_checkpoints(*files, checkpoints).at(0);
  EXPECT_EQ(found.state, FoundCheckpoint::State::on_nodes);
  EXPECT_EQ(found.manifest, manifest);
  EXPECT_THAT(found.why, HasSubstr("shard state.0.nc waits in the burst buffer of node " + env::host_name()));
  EXPECT_THAT(
      message_of([&] { newest_whole(*files, checkpoints); }),
      HasSubstr("none of them can be used:\n    restart/atmosphere/step_000000000007: shard state.0.nc "
                "waits in the burst buffer of node"));

  EXPECT_THAT(drain_checkpoints(*files, "restart"), ElementsAre(checkpoint_path(checkpoints, 7)));
  EXPECT_EQ(find_checkpoints(*files, checkpoints).at(0).state, FoundCheckpoint::State::complete);
  expect_values(*files, checkpoints, 7);
  EXPECT_FALSE(newest_whole(*files, checkpoints)->shards[0].buffered);
  EXPECT_THAT(files->list(checkpoint_path(checkpoints, 7)),
              ElementsAre("manifest.json", "state.0.nc", "state.1.nc"));
  EXPECT_THAT(files->list(buffer), IsEmpty());
}

TEST_F(Burst, a_member_that_another_process_has_drained_is_there) {
  const Manifest manifest = leave_on_node(7);
  EXPECT_TRUE(drain_shard(*files, manifest.shards[0], checkpoint_path(checkpoints, 7)));
  EXPECT_TRUE(drain_shard(*files, manifest.shards[0], checkpoint_path(checkpoints, 7)));
  files->write(checkpoint_path(checkpoints, 7) + "/state.1.nc.part", "half of it");
  EXPECT_FALSE(
      drain_shard(*files, manifest.shards[1], checkpoint_path(checkpoints, 7)));  // another one is at it
  EXPECT_THAT(drain_checkpoints(*files, "restart"),
              ElementsAre(checkpoint_path(checkpoints, 7)));  // it was killed
  expect_values(*files, checkpoints, 7);
}

TEST_F(Burst, what_is_damaged_on_the_node_is_not_drained) {
  CheckpointStore(*files, "restart", "atmosphere").commit([&] {
    Manifest manifest{.head = sample_head(3), .texts = {}, .shards = {}};
    for (const std::size_t server : {0U, 1U})
      manifest.shards.push_back(write_shard(*files, checkpoints, 3, server, 2));
    return manifest;
  }());
  const std::string path = leave_on_node(7).shards[0].buffered->path;
  damage(path);
  const std::string told = message_of([&] { drain_checkpoints(*files, "restart"); });
  EXPECT_THAT(told,
              HasSubstr("checkpoint restart/atmosphere/step_000000000007: shard state.0.nc in the burst "
                        "buffer (" +
                        path));
  EXPECT_THAT(told, HasSubstr("was damaged while it was copied, from its byte "));
  EXPECT_THAT(files->list(checkpoint_path(checkpoints, 7)),
              ElementsAre("manifest.json.on_nodes", "state.1.nc"));
  EXPECT_EQ(newest_whole(*files, checkpoints)->head.step, 3);
  files->remove(path);
  EXPECT_THAT(drain_checkpoints(*files, "restart"), IsEmpty());
  EXPECT_THAT(find_checkpoints(*files, checkpoints).at(0).why,
              HasSubstr("shard state.0.nc waits in the burst buffer of node"));
}

TEST_F(Burst, a_member_that_is_cut_off_is_not_drained) {
  const std::string path = leave_on_node(7).shards[1].buffered->path;
  files->write(path, files->read(path).substr(0, 5001));
  EXPECT_THAT(message_of([&] { drain_checkpoints(*files, "restart"); }), HasSubstr("shard state.1.nc"));
  EXPECT_THAT(message_of([&] { newest_whole(*files, checkpoints); }),
              HasSubstr("shard state.1.nc waits in the burst buffer"));
}

// The original still needs the shards that a copied directory names.
TEST_F(Burst, a_copy_of_the_directory_takes_nothing_from_the_original) {
  const Manifest manifest = leave_on_node(7);
  const std::string copy = checkpoint_path("copy/atmosphere", 7);
  files->make_directories(copy);
  for (const std::string& name : files->list(checkpoint_path(checkpoints, 7)))
    files->write(copy + "/" + name, files->read(checkpoint_path(checkpoints, 7) + "/" + name));
  EXPECT_THAT(drain_checkpoints(*files, "copy"), ElementsAre(copy));
  expect_values(*files, "copy/atmosphere", 7);
  for (const Shard& shard : manifest.shards) EXPECT_TRUE(files->exists(shard.buffered->path)) << shard.name;
  EXPECT_THAT(drain_checkpoints(*files, "restart"), ElementsAre(checkpoint_path(checkpoints, 7)));
  for (const Shard& shard : manifest.shards) EXPECT_FALSE(files->exists(shard.buffered->path)) << shard.name;
}

TEST_F(Burst, what_does_not_fit_goes_into_the_directory_at_once) {
  env::FaultyFiles roomy(*files);
  write(roomy, 5, 1, 2);
  const std::uint64_t writes = roomy.writes();
  std::uint64_t late = 0;  // an error only at a flush or a close is a fault of the checkpoint
  for (std::uint64_t k = 1; k <= writes; ++k) {
    SCOPED_TRACE(k);
    const auto inner = env::make_memory_files();
    env::FaultyFiles full(*inner, {.fail_write = k});
    Shard shard;
    try {
      shard = write(full, 5, 1, 2);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AnyOf(HasSubstr("cannot flush"), HasSubstr("cannot close")));
      ++late;
      continue;
    }
    EXPECT_EQ(damage_of(*inner, checkpoint_path(checkpoints, 5),
                        {.head = sample_head(5), .texts = {}, .shards = {shard}}),
              std::nullopt);
    EXPECT_FALSE(shard.buffered);
    EXPECT_THAT(inner->list(checkpoint_path(buffer, 5)), IsEmpty());
  }
  EXPECT_GT(late, 1U);
  EXPECT_GT(writes, late + 5U);
}

// The buffer's device took the bytes and lost them, so what would be copied from there is not known. (One
// change of the size and 33 writes come before the first flush.)
TEST_F(Burst, what_the_device_cannot_flush_is_a_fault_of_the_set) {
  env::FaultyFiles faulty(*files, {.fail_write = 35, .reason = "Input/output error"});
  const StateArray array{"large", DataType::float64, {"cell"}, {5 << 20}};
  std::optional<ShardWriter> writer(std::in_place, faulty, checkpoint_path(checkpoints, 5), sample_head(5),
                                    shard_name(0), checkpoint_path(buffer, 5));
  EXPECT_EQ(env::testing::refusal([&] { writer->save(array, whole(array), pattern(bytes_of(array), 5)); }),
            fmt::format("checkpoint {}/state.0.nc: cannot flush 1048576 bytes at {}: Input/output error",
                        checkpoint_path(buffer, 5), output::netcdf::first_place_of_values));
  writer.reset();
  EXPECT_THAT(files->list(checkpoint_path(buffer, 5)), IsEmpty());
  EXPECT_THAT(files->list(checkpoint_path(checkpoints, 5)), IsEmpty());
}

TEST_F(Burst, leftovers_of_other_steps_go) {
  const Manifest now = leave_on_node(7);
  const std::string other_step = write(*files, 6, 0, 1).buffered->path;
  const std::string more_servers = write(*files, 7, 2, 3).buffered->path;
  files->write(buffer + "/notes", "of a person");
  clean_buffer(*files, buffer, 7, 2);
  for (const Shard& shard : now.shards) EXPECT_TRUE(files->exists(shard.buffered->path));
  EXPECT_FALSE(files->exists(other_step));
  EXPECT_FALSE(files->exists(more_servers));
  EXPECT_THAT(files->list(buffer), ElementsAre("notes", "step_000000000007"));
}

TEST_F(Burst, another_job_that_runs_drains_itself) {
  leave_on_node(7);
  const CheckpointStore held(*files, "restart", "atmosphere");
  EXPECT_THAT(message_of([&] { drain_checkpoints(*files, "restart"); }), HasSubstr("in use by another job"));
}

TEST_F(Burst, what_waits_is_kept_by_a_store_and_goes_with_what_a_run_leaves_behind) {
  leave_on_node(7);
  CheckpointStore store(*files, "restart", "atmosphere");
  EXPECT_EQ(find_checkpoints(*files, checkpoints).at(0).state, FoundCheckpoint::State::on_nodes);
  store.discard_after(5);
  EXPECT_THAT(find_checkpoints(*files, checkpoints), IsEmpty());
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
