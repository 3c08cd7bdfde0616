// Breaks another file system on purpose: fails chosen writes, and forgets what was not synced when the power
// goes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "env/file_system.hpp"

namespace tailrace::env {

struct Faults {
  std::uint64_t fail_write = 0;  // this write, append or rename (counted from 1) fails; 0: none
  std::uint64_t fail_times = 1;  // and so many in all
  std::string reason = "No space left on device";
};

// `inner` must live longer; nobody else may change it meanwhile.
class FaultyFiles final : public FileSystem {
 public:
  explicit FaultyFiles(FileSystem& inner, const Faults& faults = {}) : inner_(inner), faults_(faults) {}

  std::uint64_t writes() const;  // so far, failed ones too
  // What a loss of power leaves: every file written, appended to, renamed or removed since its last sync is
  // as it was at that sync (or gone, if there was none since this object was made and it did not exist
  // before).
  void lose_power();

  void write(const std::string& path, std::string_view contents) override;
  void append(const std::string& path, std::string_view contents) override;
  std::string read(const std::string& path) const override { return inner_.read(path); }
  bool exists(const std::string& path) const override { return inner_.exists(path); }
  void make_directories(const std::string& path) override { inner_.make_directories(path); }
  void remove(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  std::vector<std::string> list(const std::string& directory) const override {
    return inner_.list(directory);
  }
  std::uint64_t free_bytes(const std::string& directory) const override {
    return inner_.free_bytes(directory);
  }
  void sync(const std::string& path) override;

 private:
  // With the lock held.
  void count_and_maybe_fail(const char* action, const std::string& path);
  void remember(const std::string& path);

  FileSystem& inner_;
  const Faults faults_;
  mutable std::mutex mutex_;  // guards what follows
  std::uint64_t writes_ = 0;
  std::map<std::string, std::optional<std::string>> durable_;  // of unsynced files; no value: was not there
};

}  // namespace tailrace::env
