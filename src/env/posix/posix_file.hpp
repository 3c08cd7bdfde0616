// An open file of the operating system.
#pragma once

#include "env/file_system.hpp"

namespace tailrace::env {

class PosixFile final : public File {
 public:
  PosixFile(const std::string& path, Access access);
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override;

  void read(std::uint64_t address, std::span<std::byte> bytes) const override;
  void write(std::uint64_t address, std::span<const std::byte> bytes) override;
  void start_sync(std::uint64_t address, std::uint64_t size) override;
  void finish_sync(std::uint64_t address, std::uint64_t size) override;
  void truncate(std::uint64_t size) override;
  std::uint64_t size() const override;
  void sync() override;
  void close() override;
  // The mark is an open-file-description lock on a byte far past the end, which does not conflict with the
  // flock of HDF5 readers. On file systems where the two kinds conflict (NFS) files are not marked.
  bool mark_as_writer() override;
  bool other_writer() const override;
  bool is_file_at(const std::string& path) const override;

 private:
  int descriptor_ = -1;
};

}  // namespace tailrace::env
