// Files that live in this object: for tests and for runs that shall leave nothing behind. Bounded, so that a
// full disk can be had cheaply.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "env/file_system.hpp"

namespace tailrace::env {

class MemoryFiles final : public FileSystem {
 public:
  explicit MemoryFiles(std::uint64_t capacity_bytes) : capacity_(capacity_bytes) {}
  void write(const std::string& path, std::string_view contents) override;
  void append(const std::string& path, std::string_view contents) override;
  std::string read(const std::string& path) const override;
  bool exists(const std::string& path) const override;
  void make_directories(const std::string& path) override;
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::uint64_t free_bytes(const std::string& directory) const override;
  void sync(const std::string& path) override;

 private:
  // All with the lock held and normalised paths.
  std::uint64_t used() const;
  void store(const std::string& path, std::string contents, const char* action);
  bool is_directory(const std::string& path) const;

  const std::uint64_t capacity_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, std::string> files_;
  std::set<std::string> directories_;  // besides "." and "/", which are always there
};

}  // namespace tailrace::env
