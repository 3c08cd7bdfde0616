// Files in the memory of this object, for tests and for runs that leave nothing behind. Their total size can
// be bounded, to simulate a full disk.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "base/thread_safety.hpp"
#include "env/file_system.hpp"

namespace tailrace::env {

// A single mutex guards all files, which is fast enough for tests. Names and open files share contents, which
// outlive the name as on a disk.
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
  void rename_new(const std::string& from, const std::string& to) override;
  Entry entry(const std::string& path) const override;
  std::unique_ptr<File> open(const std::string& path, Access access) override;
  std::vector<std::string> list(const std::string& directory) const override;
  std::uint64_t free_bytes(const std::string& directory) const override;
  void sync(const std::string& path) override;

 private:
  friend class MemoryFile;

  // An inode: an open file keeps it when its name is removed.
  struct Contents {
    std::string bytes;
    const File* writer = nullptr;  // the open file that is marked
  };

  // All with normalised paths.
  std::uint64_t used() const TAILRACE_REQUIRES(mutex_);
  bool has_room(std::uint64_t now, std::uint64_t then) const TAILRACE_REQUIRES(mutex_);
  std::string missing_folder(const std::string& path) const TAILRACE_REQUIRES(mutex_);
  bool leads_to(const std::string& path, const Contents& contents) const;
  void move(const std::string& from, const std::string& to, bool replace);
  void store(const std::string& path, std::string contents, const char* action) TAILRACE_REQUIRES(mutex_);
  bool is_directory(const std::string& path) const TAILRACE_REQUIRES(mutex_);

  const std::uint64_t capacity_;
  mutable base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Contents>> files_ TAILRACE_GUARDED_BY(mutex_);
  // Except "." and "/", which always exist.
  std::set<std::string> directories_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::env
