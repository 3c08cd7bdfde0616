#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "env/shared_pages.hpp"

namespace tailrace::env {
namespace {

[[noreturn]] void fail(int descriptor, std::size_t size) {
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  throw Error(ErrorCode::resource,
              fmt::format("cannot get {} bytes of shared memory: {}", size, std::strerror(error)));
}

}  // namespace

// Allocates the pages here, so that a lack of memory is an error and not a SIGBUS at a later write.
SharedPages::SharedPages(std::size_t size) {
  const int descriptor = ::memfd_create("tailrace step", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) fail(descriptor, size);
  if (const int error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(size)); error != 0) {
    errno = error;
    fail(descriptor, size);
  }
  void* const mapped =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
  if (mapped == MAP_FAILED) fail(descriptor, size);
  ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);  // unknown to Linux before 5.1
  descriptor_ = descriptor;
  bytes_ = {static_cast<std::byte*>(mapped), size};
}

SharedPages::~SharedPages() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
  if (descriptor_ >= 0) ::close(descriptor_);
}

SharedPages::SharedPages(SharedPages&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

SharedPages& SharedPages::operator=(SharedPages&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

ReceivedPages::ReceivedPages(int descriptor) {
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const mapped = known && size > 0
                           ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0)
                           : MAP_FAILED;
  const int error = errno;
  ::close(descriptor);
  if (known && size == 0) return;
  if (mapped == MAP_FAILED)
    throw Error(ErrorCode::resource,
                fmt::format("cannot map {} bytes of another process: {}", size, std::strerror(error)));
  bytes_ = {static_cast<const std::byte*>(mapped), size};
}

ReceivedPages::~ReceivedPages() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

ReceivedPages::ReceivedPages(ReceivedPages&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

ReceivedPages& ReceivedPages::operator=(ReceivedPages&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace tailrace::env
