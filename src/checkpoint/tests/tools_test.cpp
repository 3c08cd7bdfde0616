// Tests the tools with which people handle checkpoints.
#include "checkpoint/tools.hpp"

#include "checkpoint/manifest.hpp"
#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Tools : public ::testing::Test {
 protected:
  void SetUp() override {
    CheckpointStore atmosphere(*files, "a/checkpoints", "atmosphere");
    for (const std::int64_t step : {10, 20, 30}) write_checkpoint(*files, atmosphere, step);
    CheckpointStore ocean(*files, "a/checkpoints", "ocean");
    ShardWriter writer(*files, ocean.checkpoint_path(20), {"ocean", 20, 5.0}, "state.0.nc");
    model::NumberSaver(writer, "")("n", std::int64_t{7});
    ocean.commit({{"ocean", 20, 5.0}, {}, {writer.finish()}});
  }

  std::vector<std::string> summary(const std::string& path, bool verify) {
    std::vector<std::string> lines;
    for (const auto& [checkpoint, component, holder] : survey(*files, path, verify))
      lines.push_back(component + " " + std::to_string(checkpoint.step) + " " + checkpoint.why);
    return lines;
  }

  void damage(const std::string& checkpoint) { files->write(checkpoint + "/state.0.nc", "torn"); }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
};

TEST_F(Tools, look_at_a_directory_a_component_or_a_checkpoint) {
  const std::vector<std::string> all = {"atmosphere 30 ", "atmosphere 20 ", "atmosphere 10 ", "ocean 20 "};
  EXPECT_EQ(summary("a/checkpoints", true), all);
  EXPECT_EQ(summary("a/../a/checkpoints/", false), all);
  EXPECT_THAT(summary("a/checkpoints/ocean", true), ElementsAre("ocean 20 "));
  EXPECT_THAT(summary("a/checkpoints/atmosphere/step_000000000020/", true), ElementsAre("atmosphere 20 "));
}

TEST_F(Tools, see_damage_of_shards_when_they_read_them) {
  damage("a/checkpoints/atmosphere/step_000000000020");
  EXPECT_EQ(summary("a/checkpoints/atmosphere", false)[1], "atmosphere 20 ");
  EXPECT_THAT(summary("a/checkpoints/atmosphere", true)[1],
              HasSubstr("shard state.0.nc is truncated: 4 of "));
}

TEST_F(Tools, say_where_there_is_nothing) {
  EXPECT_EQ(message_of([&] { survey(*files, "b", false); }), "b: no such directory");
  EXPECT_THAT(message_of([&] { survey(*files, "a/checkpoints/ocean/lock", false); }),
              HasSubstr("lock: is a file, not a directory"));
  EXPECT_EQ(message_of([&] { survey(*files, "a", false); }),
            "a: contains no checkpoints; expected DIRECTORY/COMPONENT/step_..., DIRECTORY being "
            "checkpoint.directory "
            "of the configuration");
}

TEST_F(Tools, find_the_checkpoint_of_a_component) {
  EXPECT_EQ(newest_complete(*files, "a/checkpoints", "atmosphere").step, 30);
  files->remove("a/checkpoints/atmosphere/step_000000000030/manifest.json");
  EXPECT_EQ(newest_complete(*files, "a/checkpoints", "atmosphere").step, 20);
  EXPECT_EQ(newest_complete(*files, "a/checkpoints/atmosphere/step_000000000010", "atmosphere").step, 10);
  EXPECT_EQ(
      message_of([&] { newest_complete(*files, "a/checkpoints", "atmosfere"); }),
      "a/checkpoints: has no complete checkpoint of component \"atmosfere\". Did you mean \"atmosphere\"? "
      "(known: atmosphere, ocean)");
}

TEST_F(Tools, copy_a_whole_set) {
  const std::string checkpoint = "a/checkpoints/atmosphere/step_000000000020";
  files->write("a/checkpoints/atmosphere/files.jsonl", "{\"file\":\"a.nc\"}\n");
  EXPECT_EQ(copy_checkpoint(*files, checkpoint, "b/c"), "b/c/atmosphere/step_000000000020");
  EXPECT_EQ(files->read("b/c/atmosphere/files.jsonl"), "{\"file\":\"a.nc\"}\n");
  expect_values(*files, "b/c/atmosphere", 20);
  EXPECT_EQ(newest_whole(*files, "b/c/atmosphere"), read_manifest(*files, checkpoint));
  EXPECT_EQ(message_of([&] { copy_checkpoint(*files, checkpoint, "b/c"); }),
            "checkpoint b/c/atmosphere/step_000000000020 already exists");
  EXPECT_EQ(message_of([&] { copy_checkpoint(*files, "a/checkpoints/atmosphere", "b/c"); }),
            "a/checkpoints/atmosphere: is not one checkpoint, whose name is step_ and twelve digits");
  damage(checkpoint);
  EXPECT_THAT(
      message_of([&] { copy_checkpoint(*files, checkpoint, "d"); }),
      HasSubstr("checkpoint a/checkpoints/atmosphere/step_000000000020 cannot be used: shard state.0.nc is "
                "truncated"));
  EXPECT_FALSE(files->exists("d"));
}

TEST_F(Tools, prune_each_component) {
  EXPECT_THAT(prune_checkpoints(*files, "a/checkpoints", 2),
              ElementsAre("a/checkpoints/atmosphere/step_000000000010"));
  EXPECT_THAT(prune_checkpoints(*files, "a/checkpoints", 2), IsEmpty());
  const CheckpointStore job(*files, "a/checkpoints", "atmosphere");
  EXPECT_THAT(message_of([&] { prune_checkpoints(*files, "a/checkpoints", 1); }),
              HasSubstr("in use by another job"));
}

TEST_F(Tools, remove_only_what_cannot_be_used) {
  EXPECT_THAT(remove_unusable(*files, "a/checkpoints"), IsEmpty());
  damage("a/checkpoints/atmosphere/step_000000000020");
  write_shard(*files, "a/checkpoints/atmosphere", 40, 0, 2);
  Manifest moved = read_manifest(*files, "a/checkpoints/ocean/step_000000000020");
  moved.head.component = "sea";
  files->write("a/checkpoints/ocean/step_000000000020/manifest.json", to_text(moved));
  EXPECT_THAT(remove_unusable(*files, "a/checkpoints"),
              ElementsAre("a/checkpoints/atmosphere/step_000000000040",
                          "a/checkpoints/atmosphere/step_000000000020"));
  EXPECT_THAT(
      summary("a/checkpoints", true),
      ElementsAre("atmosphere 30 ", "atmosphere 10 ", "ocean 20 it has the manifest of component \"sea\""));
}

TEST_F(Tools, leave_the_checkpoints_of_a_running_job_alone) {
  CheckpointStore job(*files, "a/checkpoints", "atmosphere");
  write_shard(*files, "a/checkpoints/atmosphere", 40, 0, 2);
  EXPECT_THAT(message_of([&] { remove_unusable(*files, "a/checkpoints/atmosphere"); }),
              HasSubstr("in use by another job"));
  EXPECT_FALSE(survey(*files, "a/checkpoints/atmosphere", false)[0].holder.empty());
  EXPECT_TRUE(files->exists("a/checkpoints/atmosphere/step_000000000040/state.0.nc"));
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
