// Tests which files of a series are removed when a run restarts from an earlier step.
#include "checkpoint/series/begun_files.hpp"

#include <fmt/format.h>

#include "checkpoint/tests/samples.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* series = "part_{end}.nc";

class Begun : public ::testing::Test {
 protected:
  Begun() {
    files->make_directories(checkpoints);
    for (const char* directory : {"/run/out", "/copy/out"}) files->make_directories(directory);
  }

  void begin(const std::string& path, std::int64_t behind, const std::string& of = series) {
    note_begun(*files, checkpoints, {path, of, behind});
    files->write("/run/" + path, "records");
  }
  bool is_there(const std::string& path) const { return files->exists(path); }
  // Returns what the log has.
  std::string go_back(std::optional<std::int64_t> step, const OutputOfRun& output) {
    ::testing::internal::CaptureStderr();
    remove_begun_behind(*files, checkpoints, output, step);
    return ::testing::internal::GetCapturedStderr();
  }
  std::string go_back(std::optional<std::int64_t> step) { return go_back(step, run); }

  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  const std::string checkpoints = "/checkpoints/atmosphere";
  const OutputOfRun run{"/run", {series, "a.nc", "out/{start}/b.nc"}, {}};
};

TEST_F(Begun, go_where_they_are_behind_the_checkpoint) {
  begin("part_1.nc", -1);
  begin("part_2.nc", 10);
  begin("part_3.nc", 20);
  EXPECT_THAT(go_back(20), HasSubstr("/run/part_3.nc is removed: it begins after the checkpoint"));
  EXPECT_TRUE(is_there("/run/part_1.nc") && is_there("/run/part_2.nc") && !is_there("/run/part_3.nc"));
  // A removed file is forgotten: a file of that name may belong to somebody else now.
  files->write("/run/part_3.nc", "another's");
  go_back(10);
  EXPECT_TRUE(is_there("/run/part_1.nc") && !is_there("/run/part_2.nc") && is_there("/run/part_3.nc"));
}

TEST_F(Begun, go_all_where_the_run_begins_afresh) {
  begin("part_1.nc", -1);
  begin("a_100.0.nc", 10, "a.nc");
  go_back(std::nullopt);
  EXPECT_TRUE(!is_there("/run/part_1.nc") && !is_there("/run/a_100.0.nc"));
}

TEST_F(Begun, are_those_of_the_copy_where_the_directory_was_copied) {
  begin("part_1.nc", 10);
  files->write("/copy/part_1.nc", "records");
  OutputOfRun copy = run;
  copy.directory = "/copy";
  go_back(10, copy);
  EXPECT_TRUE(is_there("/run/part_1.nc") && !is_there("/copy/part_1.nc"));
}

TEST_F(Begun, stay_where_this_run_does_not_write) {
  begin("part_1.nc", 10);
  begin("out/old_1.nc", 10, "out/old_{end}.nc");
  note_begun(*files, checkpoints, {"/run/out/../other.nc", series, 10});
  note_begun(*files, checkpoints, {"../copy/out/part_1.nc", series, 10});
  note_begun(*files, checkpoints, {"part_1.txt", series, 10});
  for (const char* path : {"/run/other.nc", "/copy/out/part_1.nc", "/run/part_1.txt"})
    files->write(path, "another's");
  const OutputOfRun other{"/run", {"piece_{end}.nc"}, {}};
  EXPECT_THAT(begun_behind(*files, read_run_files(*files, checkpoints), run, 10).removed,
              ElementsAre(::testing::Field(&BegunBehind::Removed::path, "/run/part_1.nc")));
  EXPECT_THAT(begun_behind(*files, read_run_files(*files, checkpoints), other, 10).removed, IsEmpty());
  const std::string log = go_back(10);
  EXPECT_THAT(log,
              HasSubstr("/run/out/old_1.nc begins after the checkpoint from which the run continues, but "
                        "this run does not write the series out/old_{end}.nc there. It stays"));
  for (const char* path : {"/run/out/old_1.nc", "/run/other.nc", "/copy/out/part_1.nc", "/run/part_1.txt"})
    EXPECT_TRUE(is_there(path)) << path;
}

// Earlier versions wrote absolute paths, and not which series a file belongs to.
TEST_F(Begun, of_an_earlier_version_go_only_where_this_run_writes) {
  for (const char* path : {"/run/part_1.nc", "/run/a_2.nc", "/copy/part_1.nc", "/run/b.nc"}) {
    files->append(checkpoints + "/files.jsonl", fmt::format("{{\"path\":\"{}\",\"behind\":10}}\n", path));
    files->write(path, "records");
  }
  const std::string log = go_back(10);
  EXPECT_TRUE(!is_there("/run/part_1.nc") && !is_there("/run/a_2.nc"));
  EXPECT_TRUE(is_there("/copy/part_1.nc") && is_there("/run/b.nc"));
  const RunFiles left = read_run_files(*files, checkpoints);  // of the copy, which are replaced, not removed
  EXPECT_TRUE(was_begun(left, "./part_1.nc") && was_begun(left, "/copy/part_1.nc"));
  EXPECT_FALSE(was_begun(left, "art_1.nc") || was_begun(left, "a_2.nc"));
  EXPECT_THAT(log, HasSubstr("/copy/part_1.nc begins after the checkpoint from which the run continues, but "
                             "this run writes no series with files of this name. It stays"));
}

TEST_F(Begun, stay_where_they_are_directories_and_that_is_told) {
  note_begun(*files, checkpoints, {"part_1.nc", series, 10});
  files->make_directories("/run/part_1.nc");
  EXPECT_THAT(go_back(10),
              HasSubstr("/run/part_1.nc begins after the checkpoint from which the run continues, "
                        "but it is not a file"));
  EXPECT_TRUE(is_there("/run/part_1.nc"));
}

TEST_F(Begun, may_be_gone_already_or_half_noted) {
  begin("part_1.nc", 10);
  files->remove("/run/part_1.nc");
  files->append(checkpoints + "/files.jsonl", "{\"path\":\"b.n");
  EXPECT_EQ(go_back(10), "");
  EXPECT_NO_THROW(remove_begun_behind(*files, "/checkpoints/ocean", run, std::nullopt));
}

TEST_F(Begun, are_not_guessed_where_the_list_is_damaged) {
  begin("part_1.nc", 10);
  begin("part_2.nc", 10);
  const std::string list = checkpoints + "/files.jsonl";
  files->write(list, "garbage\n[1]\n{\"path\":7}\n" + files->read(list).substr(3));
  EXPECT_THAT(go_back(10), HasSubstr("files.jsonl is damaged: 4 lines cannot be read"));
  EXPECT_TRUE(is_there("/run/part_1.nc") && !is_there("/run/part_2.nc"));
}

TEST_F(Begun, are_told_from_the_files_that_are_not_of_a_series) {
  begin("part_1.nc", 10);
  note_output(*files, checkpoints, {"/run", {series}, {"heat.nc", "/data/all.nc"}});
  note_output(*files, checkpoints, {"/moved", {series}, {"heat.nc", "new.nc"}});
  const RunFiles found = read_run_files(*files, checkpoints);
  EXPECT_EQ(found.directory, "/moved");
  EXPECT_THAT(found.files, ElementsAre("/data/all.nc", "heat.nc", "new.nc"));
  EXPECT_THAT(found.begun, ElementsAre(BegunFile{"part_1.nc", series, 10}));
  files->write("/run/heat.nc", "records");
  go_back(10);
  EXPECT_TRUE(is_there("/run/heat.nc") && !is_there("/run/part_1.nc"));
}

}  // namespace
}  // namespace tailrace::checkpoint::testing
