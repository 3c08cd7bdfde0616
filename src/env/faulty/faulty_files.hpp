// Breaks another file system on purpose: fails chosen writes, and forgets what was not synced when the power
// goes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/thread_safety.hpp"
#include "env/file_system.hpp"

namespace tailrace::env {

struct Faults {
  // This write, append, rename, change of a size, sync or close (counted from 1) fails; 0: none.
  std::uint64_t fail_write = 0;
  std::uint64_t fail_times = 1;  // and so many in all
  std::string reason = "No space left on device";
};

// `inner` must live longer; nobody else may change it meanwhile.
//
// It does not hold writes back: they go to `inner` at once, and what the device has is remembered when a file
// is first changed after a sync. So readers see what they would see, and a loss of power puts the old
// contents back. One lock for all of it, held while `inner` works: the count of writes then has one order.
class FaultyFiles final : public FileSystem {
 public:
  explicit FaultyFiles(FileSystem& inner, const Faults& faults = {}) : inner_(inner), faults_(faults) {}

  std::uint64_t writes() const;  // so far, failed ones too
  // What a loss of power leaves: every file changed, renamed or removed since its last sync is as it was at
  // that sync (or gone, if there was none since this object was made and it did not exist before). A sync of
  // an open File keeps contents, not a new name; that of a path keeps all names of its directory. Files that
  // are open have lost their names.
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
  // What a name stands for on the device.
  struct Durable {
    std::optional<std::string> contents;  // no value: nothing is there
    bool moved = false;                   // another file took the name since
  };
  std::map<std::string, Durable> durable_ TAILRACE_GUARDED_BY(mutex_);   // of unsynced files
  std::map<const File*, std::string> open_ TAILRACE_GUARDED_BY(mutex_);  // their names now; empty: none
};

}  // namespace tailrace::env
