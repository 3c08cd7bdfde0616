#include "env/write_behind_sync.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "env/faulty/faulty_files.hpp"
#include "env/testing/file_system_conformance.hpp"
#include "env/threads.hpp"

namespace tailrace::env {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;

std::vector<std::byte> piece(unsigned number) {
  std::vector<std::byte> bytes(piece_bytes - 13 * number);  // no two of one size
  std::mt19937 random(number);
  for (std::size_t i = 0; i < bytes.size(); i += 97) bytes[i] = static_cast<std::byte>(random());
  return bytes;
}

// Counts bytes, as far as they have come.
class CountingFile final : public File {
 public:
  void read(std::uint64_t, std::span<std::byte>) const override {}
  void write(std::uint64_t, std::span<const std::byte>) override {}
  void start_sync(std::uint64_t address, std::uint64_t size) override {
    EXPECT_EQ(address, started);
    started += size;
  }
  void finish_sync(std::uint64_t address, std::uint64_t size) override {
    EXPECT_EQ(address, finished);
    finished += size;
    EXPECT_LE(finished, started);
  }
  void truncate(std::uint64_t) override {}
  std::uint64_t size() const override { return started; }
  void sync() override {}
  void close() override {}
  bool mark_as_writer() override { return true; }
  bool other_writer() const override { return false; }
  bool is_file_at(const std::string&) const override { return true; }

  std::uint64_t started = 0, finished = 0;
};

TEST(WriteBehindSync, starts_all_at_once_and_waits_only_for_what_is_far_behind) {
  CountingFile file;
  WriteBehindSync behind;
  for (std::uint64_t k = 1; k <= 100; ++k) {
    const std::uint64_t size = piece_bytes / 3 + k * 10007;
    const std::uint64_t end = file.started + size;
    behind.wrote(file, file.started, size);
    EXPECT_EQ(file.started, end);
    EXPECT_LE(file.started - file.finished, WriteBehindSync::most_under_way);
    EXPECT_TRUE(file.finished == 0 || file.started - file.finished > WriteBehindSync::most_under_way / 2);
  }
  EXPECT_GT(file.finished, 0u);
}

TEST(WriteBehindSync, leaves_small_writes_to_sync) {
  CountingFile file;
  WriteBehindSync behind;
  for (std::uint64_t k = 0; k < 1000; ++k) behind.wrote(file, 800 * k, 800);
  EXPECT_EQ(file.started, 0u);
  EXPECT_EQ(file.finished, 0u);
}

TEST(WriteBehindSync, a_file_of_the_system_has_what_was_written) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("tailrace_behind_" + std::to_string(process_id()));
  {
    const auto file = system_files().open(path, Access::create_new);
    WriteBehindSync behind;
    std::uint64_t end = 0;
    for (unsigned k = 0; k < 40; ++k) {
      const auto bytes = piece(k);
      file->write(end, bytes);
      behind.wrote(*file, end, bytes.size());
      end += bytes.size();
    }
    file->sync();
    std::uint64_t at = 0;
    for (unsigned k = 0; k < 40; ++k) {
      const auto expected = piece(k);
      std::vector<std::byte> there(expected.size());
      file->read(at, there);
      EXPECT_EQ(there, expected) << k;
      at += there.size();
    }
    EXPECT_EQ(file->size(), end);
  }
  system_files().remove(path);
}

TEST(WriteBehindSync, tells_what_the_device_could_not_take) {
  const auto inner = make_memory_files();
  FaultyFiles files(*inner, {.fail_write = 34, .reason = "Input/output error"});
  const auto file = files.open("a", Access::create_new);
  WriteBehindSync behind;
  std::uint64_t end = 0;
  const std::vector<std::byte> bytes(piece_bytes);
  const auto write = [&] {
    file->write(end, bytes);
    behind.wrote(*file, end, bytes.size());
    end += bytes.size();
  };
  for (int k = 0; k < 32; ++k) write();
  EXPECT_EQ(testing::refusal(write), "cannot flush 1048576 bytes at 0: Input/output error");
}

}  // namespace
}  // namespace tailrace::env
