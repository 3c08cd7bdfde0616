#include "env/posix/posix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "env/delays.hpp"
#include "env/posix/reason.hpp"

namespace tailrace::env {
namespace {

[[noreturn]] void fail(const std::string& doing) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", doing, std::strerror(errno)));
}

constexpr long nfs_magic = 0x6969;

struct flock writer_mark() {
  struct flock mark {};
  mark.l_type = F_WRLCK;
  mark.l_whence = SEEK_SET;
  mark.l_start = std::numeric_limits<off_t>::max() - 1;
  mark.l_len = 1;
  return mark;
}

bool marks_work(int descriptor) {
  struct statfs system {};
  return ::fstatfs(descriptor, &system) == 0 && static_cast<long>(system.f_type) != nfs_magic;
}

}  // namespace

PosixFile::PosixFile(const std::string& path, Access access) {
  const int flags = access == Access::read     ? O_RDONLY
                    : access == Access::update ? O_RDWR
                    : access == Access::create ? O_RDWR | O_CREAT
                                               : O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
  descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw Error(ErrorCode::resource, fmt::format("cannot {}: {}", (flags & O_CREAT) != 0 ? "create" : "open",
                                                 reason(path, errno)));
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PosixFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(fmt::format("cannot read {} bytes at {}", bytes.size(), address));
    if (got == 0) {
      std::fill(bytes.begin(), bytes.end(), std::byte{0});
      return;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    address += static_cast<std::uint64_t>(got);
  }
}

void PosixFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  maybe_delay("file");
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(fmt::format("cannot write {} bytes at {}", bytes.size(), address));
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    address += static_cast<std::uint64_t>(put);
  }
}

#ifdef SYNC_FILE_RANGE_WRITE
// The system keeps errors of the device for `finish_sync` and `sync`. If the file system does not support the
// call, `sync` does all the work.
void PosixFile::start_sync(std::uint64_t address, std::uint64_t size) {
  ::sync_file_range(descriptor_, static_cast<off_t>(address), static_cast<off_t>(size),
                    SYNC_FILE_RANGE_WRITE);
}

void PosixFile::finish_sync(std::uint64_t address, std::uint64_t size) {
  const auto at = static_cast<off_t>(address);
  const auto length = static_cast<off_t>(size);
  while (::sync_file_range(descriptor_, at, length, SYNC_FILE_RANGE_WAIT_AFTER) != 0) {
    if (errno == EIO || errno == ENOSPC || errno == EDQUOT) fail("cannot flush the file to the device");
    if (errno != EINTR) return;
  }
  ::posix_fadvise(descriptor_, at, length, POSIX_FADV_DONTNEED);
}
#else
void PosixFile::start_sync(std::uint64_t, std::uint64_t) {}
void PosixFile::finish_sync(std::uint64_t, std::uint64_t) {}
#endif

void PosixFile::truncate(std::uint64_t size) {
  maybe_delay("file");
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    fail(fmt::format("cannot set the size to {}", size));
}

std::uint64_t PosixFile::size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("cannot query the size");
  return static_cast<std::uint64_t>(status.st_size);
}

void PosixFile::sync() {
  maybe_delay("file");
  if (::fdatasync(descriptor_) != 0) fail("cannot flush the file to the device");
}

// A `close` that fails has closed the descriptor, so that it cannot be repeated. Network file systems report
// failed writes at the close of any descriptor, so a duplicate is closed first.
void PosixFile::close() {
  maybe_delay("file");
  if (descriptor_ < 0) return;
  if (const int second = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); second >= 0 && ::close(second) != 0)
    fail("cannot close");
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot close");
}

bool PosixFile::mark_as_writer() {
  if (!marks_work(descriptor_)) return true;
  struct flock mark = writer_mark();
  if (::fcntl(descriptor_, F_OFD_SETLK, &mark) == 0) return true;
  return errno != EAGAIN && errno != EACCES;  // other errors: the file system has no such locks
}

bool PosixFile::other_writer() const {
  if (!marks_work(descriptor_)) return false;
  struct flock mark = writer_mark();
  return ::fcntl(descriptor_, F_OFD_GETLK, &mark) == 0 && mark.l_type != F_UNLCK;
}

bool PosixFile::is_file_at(const std::string& path) const {
  struct stat mine {
  }, theirs{};
  return ::fstat(descriptor_, &mine) == 0 && ::stat(path.c_str(), &theirs) == 0 &&
         mine.st_ino == theirs.st_ino && mine.st_dev == theirs.st_dev;
}

}  // namespace tailrace::env
