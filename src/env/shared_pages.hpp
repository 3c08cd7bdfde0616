// Memory that this process fills and another one reads. It has no name in the file system, and is freed with
// the last process that uses it.
#pragma once

#include <cstddef>
#include <span>

namespace tailrace::env {

class SharedPages {
 public:
  explicit SharedPages(std::size_t size);  // throws Error(resource) if there is not enough memory
  ~SharedPages();
  SharedPages(SharedPages&& other) noexcept;
  SharedPages& operator=(SharedPages&& other) noexcept;

  std::span<std::byte> bytes() const { return bytes_; }
  // A receiver of the descriptor can map the bytes, but can change neither them nor their number.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  std::span<std::byte> bytes_;
};

// Memory that another process filled and sent. Read-only. It stays as it is only if the other process does
// not change it.
class ReceivedPages {
 public:
  ReceivedPages() = default;
  // Takes the descriptor over, and maps the whole file in memory. Throws Error(resource).
  explicit ReceivedPages(int descriptor);
  ~ReceivedPages();
  ReceivedPages(ReceivedPages&& other) noexcept;
  ReceivedPages& operator=(ReceivedPages&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }  // empty: none was sent

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace tailrace::env
