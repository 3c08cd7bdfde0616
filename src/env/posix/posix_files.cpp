#include "env/posix/posix_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "env/delays.hpp"
#include "env/posix/posix_file.hpp"
#include "env/posix/reason.hpp"

namespace tailrace::env {
namespace {

[[noreturn]] void fail(std::string_view action, const std::string& path, int code) {
  throw Error(ErrorCode::resource, fmt::format("cannot {} {}: {}", action, path, reason(path, code)));
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, std::string_view action) : path_(path), action_(action) {
    do fd_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) fail(action_, path_, errno);
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write_all(std::string_view text) {
    maybe_delay("file");
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(action_, path_, errno);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  std::string read_all() {
    std::string text;
    char buffer[1 << 16];
    while (true) {
      const ssize_t count = ::read(fd_, buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail(action_, path_, errno);
      if (count == 0) return text;
      text.append(buffer, static_cast<std::size_t>(count));
    }
  }
  void sync() {
    // Some file systems cannot sync directories, which is no error.
    if (::fsync(fd_) != 0 && errno != EINVAL) fail(action_, path_, errno);
  }
  void close() {  // a network file system may report failed writes only here
    if (::close(std::exchange(fd_, -1)) != 0) fail(action_, path_, errno);
  }

 private:
  std::string path_;
  std::string_view action_;
  int fd_ = -1;
};

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> next{0};
  return fmt::format("{}.{}.{}.tmp", path, ::getpid(), next.fetch_add(1));
}

}  // namespace

void PosixFiles::write(const std::string& path, std::string_view contents) {
  const std::string temporary = temporary_name(path);
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC, "write");
    file.write_all(contents);
    file.close();
    rename(temporary, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void PosixFiles::append(const std::string& path, std::string_view contents) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND, "append to");
  file.write_all(contents);
  file.close();
}

std::string PosixFiles::read(const std::string& path) const {
  return Descriptor(path, O_RDONLY, "read").read_all();
}

bool PosixFiles::exists(const std::string& path) const {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

void PosixFiles::make_directories(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (code) fail("make the folder", path, code.value());
}

void PosixFiles::remove(const std::string& path) {
  if (std::remove(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

void PosixFiles::rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail(fmt::format("rename {} to", from), to, errno);
}

void PosixFiles::rename_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail(fmt::format("rename {} to", from), to, errno);
  if (entry(to) != Entry::none) fail(fmt::format("rename {} to", from), to, EEXIST);
  rename(from, to);
}

Entry PosixFiles::entry(const std::string& path) const {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return Entry::none;
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? Entry::file : Entry::other;
}

std::unique_ptr<File> PosixFiles::open(const std::string& path, Access access) {
  return std::make_unique<PosixFile>(path, access);
}

std::vector<std::string> PosixFiles::list(const std::string& directory) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(directory.c_str()), &::closedir);
  if (!handle) fail("list", directory, errno);
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(handle.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::uint64_t PosixFiles::free_bytes(const std::string& directory) const {
  struct statvfs status {};
  if (::statvfs(directory.c_str(), &status) != 0) fail("query the free space of", directory, errno);
  return std::uint64_t{status.f_bavail} * std::uint64_t{status.f_frsize};
}

void PosixFiles::sync(const std::string& path) {
  Descriptor(path, O_RDONLY, "sync").sync();
  Descriptor(parent_of(path), O_RDONLY | O_DIRECTORY, "sync").sync();
}

FileSystem& system_files() {
  static PosixFiles files;  // has no state
  return files;
}

}  // namespace tailrace::env
