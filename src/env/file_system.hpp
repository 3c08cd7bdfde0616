// Files: as Tailrace's own small outputs need them (reports, status, manifests: whole files, appended lines,
// names), and as formats of datasets do, which open one and keep their own order in it.
//
// All kinds (posix, memory, faulty) keep this contract and pass testing/file_system_conformance.hpp. Every
// failure is an Error(resource) that names the path and what the system said (those of open and of a File
// leave the path out, see file.hpp). Safe from any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "env/file.hpp"

namespace tailrace::env {

// create: makes the file if it is absent and keeps what is in it; create_new: refuses a name that is there,
// even that of a link that leads nowhere
enum class Access { read, update, create, create_new };
enum class Entry { none, file, other };  // what a name stands for, `file` also through a link

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // The whole file, atomically: a reader (and a crash of this process) sees the old contents or the new,
  // never a mixture. Not durable against loss of power until `sync`.
  virtual void write(const std::string& path, std::string_view contents) = 0;
  // Adds to the end in one piece, so that lines of several writers do not mix (local and Lustre file systems;
  // NFS does not promise it). Creates the file.
  virtual void append(const std::string& path, std::string_view contents) = 0;
  virtual std::string read(const std::string& path) const = 0;
  virtual bool exists(const std::string& path) const = 0;      // file or directory
  virtual void make_directories(const std::string& path) = 0;  // fine if it is there
  virtual void remove(const std::string& path) = 0;  // a file or an empty directory; fine if it is not there
  virtual void rename(const std::string& from, const std::string& to) = 0;  // replaces a file `to`
  // As rename, but a `to` that is there is refused (as far as the file system can do that in one step).
  virtual void rename_new(const std::string& from, const std::string& to) = 0;
  virtual Entry entry(const std::string& path) const = 0;  // a link that leads nowhere is `other`
  // Lives no longer than this object.
  virtual std::unique_ptr<File> open(const std::string& path, Access access) = 0;
  virtual std::vector<std::string> list(const std::string& directory) const = 0;  // names, sorted
  virtual std::uint64_t free_bytes(const std::string& directory) const = 0;       // for this user
  // Returns when the file's contents and its name are on the device.
  virtual void sync(const std::string& path) = 0;
};

FileSystem& system_files();  // the real one
std::unique_ptr<FileSystem> make_memory_files(std::uint64_t capacity_bytes = std::uint64_t{1} << 30);

}  // namespace tailrace::env
