// Records the changes of files, so that a test can construct the file that a crash at any moment would leave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::env {

// A change of a file, or a sync: all changes before are on the device, and the file has the given size.
// `rename`: the file takes a name, in place of the one that has it.
struct Change {
  enum class Kind { write, truncate, sync, rename };
  Kind kind = Kind::write;
  std::uint64_t at = 0;  // address, or size
  std::vector<std::byte> bytes;
  std::size_t file = 0;  // a number in the order in which files were opened
};

using Changes = std::vector<Change>;

// The contents of the file that was renamed last, or else of the first one, if only the changes for which
// `happened(number)` is true took effect.
std::vector<std::byte> replay(const Changes& changes, const std::function<bool(std::size_t)>& happened);

// `inner` must live longer. For one thread, and one name: files that are opened for writing get it in turn.
class RecordingFiles final : public FileSystem {
 public:
  explicit RecordingFiles(FileSystem& inner) : inner_(inner) {}
  const Changes& changes() const { return changes_; }

  void write(const std::string& path, std::string_view contents) override { inner_.write(path, contents); }
  void append(const std::string& path, std::string_view contents) override { inner_.append(path, contents); }
  std::string read(const std::string& path) const override { return inner_.read(path); }
  bool exists(const std::string& path) const override { return inner_.exists(path); }
  void make_directories(const std::string& path) override { inner_.make_directories(path); }
  void remove(const std::string& path) override { inner_.remove(path); }
  void rename(const std::string& from, const std::string& to) override {
    inner_.rename(from, to);
    note_rename(from);
  }
  void rename_new(const std::string& from, const std::string& to) override {
    inner_.rename_new(from, to);
    note_rename(from);
  }
  Entry entry(const std::string& path) const override { return inner_.entry(path); }
  std::unique_ptr<File> open(const std::string& path, Access access) override;
  std::vector<std::string> list(const std::string& directory) const override {
    return inner_.list(directory);
  }
  std::uint64_t free_bytes(const std::string& directory) const override {
    return inner_.free_bytes(directory);
  }
  void sync(const std::string& path) override { inner_.sync(path); }

 private:
  void note_rename(const std::string& from) {
    changes_.push_back({Change::Kind::rename, 0, {}, opened_.at(from)});
  }

  FileSystem& inner_;
  Changes changes_;
  std::map<std::string, std::size_t> opened_;  // the number of the file that was last opened by each name
  std::size_t files_ = 0;
};

}  // namespace tailrace::env
