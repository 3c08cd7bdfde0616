#include "transport/mapping.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::transport {

Mapping Mapping::anonymous(std::size_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) {
    throw Error(ErrorCode::resource, fmt::format("no memory for a buffer of {} bytes (servers.buffer): {}",
                                                 bytes, std::strerror(errno)));
  }
  madvise(place, bytes, MADV_HUGEPAGE);  // a wish only
  auto* data = static_cast<std::byte*>(place);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<volatile std::byte*>(data)[i] = std::byte{0};
  return {data, bytes};
}

Mapping Mapping::shared(int file, std::size_t bytes, const char* name) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) {
    throw Error(ErrorCode::resource, fmt::format("cannot map {} bytes of the shared memory {}: {}", bytes,
                                                 name, std::strerror(errno)));
  }
  return {static_cast<std::byte*>(place), bytes};
}

// Pages that are in place already, perhaps through another process, are mapped many at a time when they are
// read, and one at a time when they are written (as MAP_POPULATE does).
void put_in_place(std::span<std::byte> memory) {
  constexpr std::size_t page = 4096;
  const std::size_t before = reinterpret_cast<std::uintptr_t>(memory.data()) % page;
#if defined(MADV_POPULATE_READ)
  if (madvise(memory.data() - before, memory.size() + before, MADV_POPULATE_READ) == 0) return;
#endif
  for (std::size_t i = 0; i < memory.size(); i += page)
    static_cast<void>(static_cast<volatile std::byte*>(memory.data())[i]);
}

Mapping::~Mapping() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace tailrace::transport
