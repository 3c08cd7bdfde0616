// Tests which files of a series are removed when a run restarts from an earlier step.
#include "checkpoint/series/begun_files.hpp"

#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

class Begun : public ::testing::Test {
 protected:
  Begun() { files->make_directories(checkpoints); }
  void begin(const std::string& path, std::int64_t behind) {
    note_begun(*files, checkpoints, path, behind);
    files->write(path, "records");
  }
  bool is_there(const std::string& path) const { return files->exists(path); }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "/checkpoints/atmosphere";
};

TEST_F(Begun, go_where_they_are_behind_the_checkpoint) {
  begin("/a.nc", -1);
  begin("/b.nc", 10);
  begin("/c.nc", 20);
  remove_begun_behind(*files, checkpoints, 20);
  EXPECT_TRUE(is_there("/a.nc") && is_there("/b.nc") && !is_there("/c.nc"));
  // A removed file is forgotten: a file of that name may belong to somebody else now.
  files->write("/c.nc", "another's");
  remove_begun_behind(*files, checkpoints, 10);
  EXPECT_TRUE(is_there("/a.nc") && !is_there("/b.nc") && is_there("/c.nc"));
}

TEST_F(Begun, go_all_where_the_run_begins_afresh) {
  begin("/a.nc", -1);
  begin("/b.nc", 10);
  remove_begun_behind(*files, checkpoints, std::nullopt);
  EXPECT_TRUE(!is_there("/a.nc") && !is_there("/b.nc"));
}

TEST_F(Begun, stay_where_they_are_directories_and_that_is_told) {
  note_begun(*files, checkpoints, "/d.zarr", 10);
  files->make_directories("/d.zarr");
  ::testing::internal::CaptureStderr();
  remove_begun_behind(*files, checkpoints, 10);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("/d.zarr begins after"));
  EXPECT_TRUE(is_there("/d.zarr"));
}

TEST_F(Begun, may_be_gone_already_or_half_noted) {
  begin("/a.nc", 10);
  files->remove("/a.nc");
  files->append(checkpoints + "/files.jsonl", "{\"path\":\"/b.n");
  EXPECT_NO_THROW(remove_begun_behind(*files, checkpoints, 10));
  EXPECT_NO_THROW(remove_begun_behind(*files, "/checkpoints/ocean", std::nullopt));
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
