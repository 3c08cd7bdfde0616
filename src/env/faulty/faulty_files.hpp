// A file system that injects faults into another one: chosen writes fail, and a simulated loss of power
// discards what was not synced (like ErrorEnv and FaultInjectionTestEnv of LevelDB).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/thread_safety.hpp"
#include "env/file_system.hpp"

namespace tailrace::env {

struct Faults {
  // The number of the write, append, rename, change of a size, sync or close that fails, from 1; 0: none.
  std::uint64_t fail_write = 0;
  std::uint64_t fail_times = 1;  // how many fail, from that one on
  std::string reason = "No space left on device";
};

// `inner` must live longer, and must not be changed by others.
//
// Writes are passed to `inner` at once, and the contents on the simulated device are saved when a file is
// first changed after a sync. So readers see current contents, and a loss of power restores the saved ones. A
// single mutex is held while `inner` works, so that writes are counted in one order.
class FaultyFiles final : public FileSystem {
 public:
  explicit FaultyFiles(FileSystem& inner, const Faults& faults = {}) : inner_(inner), faults_(faults) {}

  std::uint64_t writes() const;  // so far, including failed ones
  // Simulates a loss of power: every file that was changed, renamed or removed since its last sync is as it
  // was at that sync (without a sync it is as it was when this object was constructed, or does not exist).
  // The sync of an open File makes its contents durable, but not a new name; the sync of a path makes all
  // names of its directory durable. Open files lose their names.
  void lose_power();

  void write(const std::string& path, std::string_view contents) override;
  void append(const std::string& path, std::string_view contents) override;
  std::string read(const std::string& path) const override { return inner_.read(path); }
  bool exists(const std::string& path) const override { return inner_.exists(path); }
  void make_directories(const std::string& path) override { inner_.make_directories(path); }
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void rename_new(const std::string& from, const std::string& to) override;
  Entry entry(const std::string& path) const override { return inner_.entry(path); }
  std::unique_ptr<File> open(const std::string& path, Access access) override;
  std::vector<std::string> list(const std::string& directory) const override {
    return inner_.list(directory);
  }
  std::uint64_t free_bytes(const std::string& directory) const override {
    return inner_.free_bytes(directory);
  }
  void sync(const std::string& path) override;

 private:
  friend class FaultyFile;

  void count_and_maybe_fail(const std::string& doing) TAILRACE_REQUIRES(mutex_);
  void remember(const std::string& path) TAILRACE_REQUIRES(mutex_);

  void follow(const std::string& from, const std::string& to) TAILRACE_REQUIRES(mutex_);
  void note_move(const std::string& from, const std::string& to) TAILRACE_REQUIRES(mutex_);

  FileSystem& inner_;
  const Faults faults_;
  mutable base::Mutex mutex_;
  std::uint64_t writes_ TAILRACE_GUARDED_BY(mutex_) = 0;
  // The state of a name on the simulated device.
  struct Durable {
    std::optional<std::string> contents;  // no value: no file
    bool moved = false;                   // another file has taken the name since
  };
  std::map<std::string, Durable> durable_ TAILRACE_GUARDED_BY(mutex_);   // of unsynced files
  std::map<const File*, std::string> open_ TAILRACE_GUARDED_BY(mutex_);  // their present names; empty: none
};

}  // namespace tailrace::env
