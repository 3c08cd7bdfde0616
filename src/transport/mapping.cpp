#include "transport/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::transport {

Mapping Mapping::anonymous(std::size_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    throw Error(ErrorCode::resource, fmt::format("no memory for a buffer of {} bytes (servers.buffer): {}",
                                                 bytes, std::strerror(errno)));
  }
  madvise(place, bytes, MADV_HUGEPAGE);  // only a hint
  auto* data = static_cast<std::byte*>(place);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<volatile std::byte*>(data)[i] = std::byte{0};
  return {data, bytes};
}

// Pages that another process has allocated are mapped many at a time by a read, but one at a time by a write
// (as MAP_POPULATE does).
Mapping Mapping::shared(int file, std::size_t bytes, const char* name, Pages pages) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) {
    throw Error(ErrorCode::resource, fmt::format("cannot map {} bytes of the shared memory {}: {}", bytes,
                                                 name, std::strerror(errno)));
  }
  auto* data = static_cast<std::byte*>(place);
  if (pages == Pages::when_used) return {data, bytes};
#if defined(MADV_POPULATE_READ)
  if (madvise(place, bytes, MADV_POPULATE_READ) == 0) return {data, bytes};
#endif
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<void>(static_cast<volatile std::byte*>(data)[i]);
  return {data, bytes};
}

void Mapping::let_go(std::byte* data, std::size_t bytes) noexcept { madvise(data, bytes, MADV_DONTNEED); }

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace tailrace::transport
