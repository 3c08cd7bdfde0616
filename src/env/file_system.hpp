// The interface to files. Whole files, appended lines and names serve Tailrace's own small outputs (reports,
// status, manifests). Formats of datasets open a file and manage its layout.
//
// All implementations (posix, memory, faulty) pass testing/file_system_conformance.hpp. Every failure is an
// Error(resource) with the path and the system's message (without the path for `open` and File, see
// file.hpp). Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/file.hpp"

namespace tailrace::env {

// create: creates the file if it is absent, and keeps its contents otherwise; create_new: refuses a name that
// exists, even that of a dangling link
enum class Access { read, update, create, create_new };
enum class Entry { none, file, other };  // the kind of a name; `file` also for a link to one

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Replaces the whole file atomically: a reader, or a crash of this process, finds the old contents or the
  // new ones, never a mixture. They are durable against loss of power after `sync`.
  virtual void write(const std::string& path, std::string_view contents) = 0;
  // Appends in one piece, so that lines of several writers do not mix (on local and Lustre file systems; NFS
  // does not guarantee it). Creates the file if necessary.
  virtual void append(const std::string& path, std::string_view contents) = 0;
  virtual std::string read(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;      // file or directory
  virtual void make_directories(const std::string& path) = 0;  // no error if it exists
  virtual void remove(const std::string& path) = 0;  // a file or an empty directory; no error if it is absent
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces a file `to`
  // Like rename, but refuses a `to` that exists (in one step, if the file system supports that).
  virtual void rename_new(const std::string& from, const std::string& to) = 0;
  virtual Entry entry(const std::string& path) const = 0;  // a dangling link is `other`
  // The file must not outlive this object.
  virtual std::unique_ptr<File> open(const std::string& path, Access access) = 0;
  virtual std::vector<std::string> list(const std::string& directory) const = 0;  // names, sorted
  virtual std::uint64_t free_bytes(const std::string& directory) const = 0;       // for this user
  // Returns when the file's contents and its name are on the device.
  virtual void sync(const std::string& path) = 0;
};

FileSystem& system_files();  // the real one
std::unique_ptr<FileSystem> make_memory_files(std::uint64_t capacity_bytes = std::uint64_t{1} << 30);

}  // namespace tailrace::env
