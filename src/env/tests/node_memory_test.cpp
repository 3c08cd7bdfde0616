#include "env/node_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tailrace::env {
namespace {

// A made-up system, below a folder of its own.
class NodeMemory : public ::testing::Test {
 protected:
  NodeMemory() {
    std::string name = "/tmp/tailrace-node-memory-XXXXXX";
    root_ = mkdtemp(name.data());
  }
  ~NodeMemory() override { std::filesystem::remove_all(root_); }
  void file(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(NodeMemory, is_what_the_system_has_to_give) {
  EXPECT_FALSE(memory_left(root_));
  file("/proc/meminfo", "MemTotal:       9000 kB\nMemFree: 10 kB\nMemAvailable:   7000 kB\n");
  EXPECT_EQ(memory_left(root_), 7000u * 1024);
}

TEST_F(NodeMemory, is_bounded_by_the_group_and_those_above_it) {
  file("/proc/meminfo", "MemAvailable:   7000 kB\n");
  file("/proc/self/cgroup", "0::/jobs/step_1\n");
  file("/sys/fs/cgroup/jobs/step_1/memory.max", "max\n");
  file("/sys/fs/cgroup/jobs/step_1/memory.current", "500\n");
  EXPECT_EQ(memory_left(root_), 7000u * 1024);
  file("/sys/fs/cgroup/jobs/memory.max", "5000\n");
  file("/sys/fs/cgroup/jobs/memory.current", "4100\n");
  file("/sys/fs/cgroup/jobs/memory.stat", "anon 3000\ninactive_file 300\n");
  EXPECT_EQ(memory_left(root_), 1200u);
}

TEST_F(NodeMemory, is_nothing_where_the_limit_is_passed) {
  file("/proc/self/cgroup", "0::/\n");
  file("/sys/fs/cgroup/memory.max", "4000\n");
  file("/sys/fs/cgroup/memory.current", "4100\n");
  EXPECT_EQ(memory_left(root_), 0u);
}

TEST_F(NodeMemory, knows_the_first_version_of_groups) {
  file("/proc/self/cgroup", "11:cpuset:/\n4:cpu,memory:/docker/7\n");
  file("/sys/fs/cgroup/memory/docker/7/memory.limit_in_bytes", "9000\n");
  file("/sys/fs/cgroup/memory/docker/7/memory.usage_in_bytes", "2000\n");
  EXPECT_EQ(memory_left(root_), 7000u);
}

TEST(NodeMemoryHere, is_told) { EXPECT_GT(memory_left().value_or(0), std::uint64_t{1} << 20); }

}  // namespace
}  // namespace tailrace::env
