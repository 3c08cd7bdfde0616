#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "env/faulty/faulty_files.hpp"
#include "env/file_system.hpp"
#include "env/testing/file_system_conformance.hpp"

namespace tailrace::env {
namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((std::filesystem::temp_directory_path() / "tailrace_env_XXXXXX").string()) {
    if (!mkdtemp(path_.data())) throw std::runtime_error("mkdtemp failed");
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(PosixFiles, conforms) {
  const TemporaryDirectory directory;
  testing::check_file_system(system_files(), directory.path());
}

TEST(MemoryFiles, conforms) {
  const auto files = make_memory_files();
  files->make_directories("some/where");
  testing::check_file_system(*files, "some/where");
}

TEST(FaultyFiles, conforms_as_long_as_it_is_not_told_to_fail) {
  const auto inner = make_memory_files();
  FaultyFiles files(*inner);
  files.make_directories("some/where");
  testing::check_file_system(files, "some/where");
}

TEST(PosixFiles, a_reader_never_sees_half_a_file) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/status";
  FileSystem& files = system_files();
  files.write(path, std::string(50000, 'a'));
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (int k = 0; k < 200; ++k) files.write(path, std::string(50000, k % 2 ? 'a' : 'b'));
    done = true;
  });
  while (!done) {
    const std::string text = files.read(path);
    ASSERT_EQ(text, std::string(50000, text[0]));
  }
}

TEST(PosixFiles, a_failed_write_leaves_the_old_file_and_no_rubbish) {
  const TemporaryDirectory directory;
  system_files().make_directories(directory.path() + "/taken");
  const std::string message =
      testing::refusal([&] { system_files().write(directory.path() + "/taken", "x"); });
  EXPECT_NE(message.find("Is a directory"), std::string::npos) << message;
  EXPECT_EQ(system_files().list(directory.path()), std::vector<std::string>{"taken"});
}

TEST(MemoryFiles, is_full_when_its_capacity_is_used_and_keeps_what_was_there) {
  const auto files = make_memory_files(100);
  files->write("a", std::string(60, 'a'));
  EXPECT_EQ(files->free_bytes("."), 40u);
  EXPECT_EQ(testing::refusal([&] { files->write("b", std::string(41, 'b')); }),
            "cannot write b: No space left on device");
  EXPECT_EQ(testing::refusal([&] { files->append("a", std::string(41, 'b')); }),
            "cannot append to a: No space left on device");
  EXPECT_EQ(files->read("a"), std::string(60, 'a'));
  EXPECT_FALSE(files->exists("b"));
  files->write("a", std::string(100, 'c'));  // in place of the 60
}

TEST(FaultyFiles, fails_the_writes_it_was_told_to_fail) {
  const auto inner = make_memory_files();
  FaultyFiles files(*inner, {.fail_write = 2, .fail_times = 2});
  files.write("a", "1");
  EXPECT_EQ(testing::refusal([&] { files.append("a", "2"); }), "cannot append to a: No space left on device");
  EXPECT_EQ(testing::refusal([&] { files.rename("a", "b"); }),
            "cannot rename a to b: No space left on device");
  files.append("a", "4");
  EXPECT_EQ(files.read("a"), "14");
  EXPECT_EQ(files.writes(), 4u);
}

TEST(FaultyFiles, forgets_what_was_not_synced) {
  const auto inner = make_memory_files();
  inner->write("old", "from before");
  FaultyFiles files(*inner);
  files.append("old", " and after");
  files.write("kept", "1");
  files.sync("kept");
  files.append("kept", "2");
  files.write("never", "x");
  files.write("moved", "y");
  files.sync("moved");
  files.rename("moved", "target");
  files.lose_power();
  EXPECT_EQ(inner->read("old"), "from before");
  EXPECT_EQ(inner->read("kept"), "1");
  EXPECT_FALSE(inner->exists("never"));
  EXPECT_EQ(inner->read("moved"), "y");
  EXPECT_FALSE(inner->exists("target"));
}

TEST(MemoryFiles, an_open_file_is_bounded_too) {
  const auto files = make_memory_files(100);
  files->write("a", std::string(60, 'a'));
  const auto file = files->open("b", Access::create);
  testing::put_text(*file, 0, std::string(40, 'b'));
  EXPECT_EQ(testing::refusal([&] { testing::put_text(*file, 39, "xy"); }),
            "cannot write 2 bytes at 39: No space left on device");
  EXPECT_EQ(testing::refusal([&] { file->truncate(41); }),
            "cannot set the size to 41: No space left on device");
  testing::put_text(*file, 39, "x");
}

TEST(FaultyFiles, fails_writes_to_open_files_too) {
  const auto inner = make_memory_files();
  FaultyFiles files(*inner, {.fail_write = 2, .fail_times = 2});
  const auto file = files.open("a", Access::create);
  testing::put_text(*file, 0, "1234");
  EXPECT_EQ(testing::refusal([&] { testing::put_text(*file, 4, "56"); }),
            "cannot write 2 bytes at 4: No space left on device");
  EXPECT_EQ(testing::refusal([&] { file->truncate(9); }),
            "cannot set the size to 9: No space left on device");
  file->truncate(3);
  EXPECT_EQ(files.read("a"), "123");
}

TEST(FaultyFiles, forgets_what_was_not_synced_in_open_files) {
  const auto inner = make_memory_files();
  inner->write("old", "from before");
  inner->write("replaced", "as it was");
  FaultyFiles files(*inner);
  const auto old = files.open("old", Access::update);
  testing::put_text(*old, 0, "From");
  old->sync();
  testing::put_text(*old, 0, "FROM");
  const auto nameless = files.open("new", Access::create);
  testing::put_text(*nameless, 0, "contents alone");
  nameless->sync();
  const auto made = files.open("made", Access::create);
  testing::put_text(*made, 0, "contents");
  made->sync();
  files.rename("made", "replaced");
  const auto named = files.open("named.tmp", Access::create);
  testing::put_text(*named, 0, "1");
  named->sync();
  EXPECT_NO_THROW(made->sync());
  files.lose_power();
  EXPECT_EQ(inner->read("old"), "From before");
  EXPECT_FALSE(inner->exists("new"));
  EXPECT_EQ(inner->read("replaced"), "as it was") << "the name was not synced";
  EXPECT_FALSE(inner->exists("named.tmp"));
}

TEST(FaultyFiles, keeps_what_was_synced_under_its_new_name) {
  const auto inner = make_memory_files();
  inner->write("b", "as it was");
  FaultyFiles files(*inner);
  const auto file = files.open("a", Access::create);
  testing::put_text(*file, 0, "1");
  files.rename("a", "b");
  files.sync("b");
  testing::put_text(*file, 1, "2");
  file->sync();
  testing::put_text(*file, 2, "3");
  files.lose_power();
  EXPECT_EQ(inner->read("b"), "12");
  EXPECT_FALSE(inner->exists("a"));
}

}  // namespace
}  // namespace tailrace::env
