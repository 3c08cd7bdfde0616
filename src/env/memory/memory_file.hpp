// An open file of MemoryFiles.
#pragma once

#include <memory>
#include <string_view>

#include "env/memory/memory_files.hpp"

namespace tailrace::env {

// Uses the mutex of its file system, which must live longer.
class MemoryFile final : public File {
 public:
  static constexpr const char* no_space = "No space left on device";
  [[noreturn]] static void refuse(std::string_view doing, std::string_view why);

  MemoryFile(MemoryFiles& files, std::shared_ptr<MemoryFiles::Contents> contents)
      : files_(files), contents_(std::move(contents)) {}
  ~MemoryFile() override;
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  void read(std::uint64_t address, std::span<std::byte> bytes) const override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void truncate(std::uint64_t size) override;
  std::uint64_t size() const override;
  void sync() override {}
  void close() override;
  bool mark_as_writer() override;
  bool other_writer() const override;
  bool is_file_at(const std::string& path) const override { return files_.leads_to(path, *contents_); }

 private:
  MemoryFiles& files_;
  std::shared_ptr<MemoryFiles::Contents> contents_;
};

}  // namespace tailrace::env
