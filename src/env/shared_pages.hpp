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

}  // namespace tailrace::env
