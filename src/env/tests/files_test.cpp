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

}  // namespace
}  // namespace tailrace::env
