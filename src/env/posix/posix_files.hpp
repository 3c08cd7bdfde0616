// The operating system's files.
#pragma once

#include "env/file_system.hpp"

namespace tailrace::env {

class PosixFiles final : public FileSystem {
 public:
  void write(const std::string& path, std::string_view contents) override;
  void append(const std::string& path, std::string_view contents) override;
  std::string read(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  void make_directories(const std::string& path) override;
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void rename_new(const std::string& from, const std::string& to) override;
  Entry entry(const std::string& path) const override;
  std::unique_ptr<File> open(const std::string& path, Access access) override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::uint64_t free_bytes(const std::string& directory) const override;
  void sync(const std::string& path) override;
};

}  // namespace tailrace::env
