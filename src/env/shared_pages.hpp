// Memory that this process fills and another one reads. It has no name, and goes with the last process that
// holds it.
#pragma once

#include <cstddef>
#include <span>

namespace tailrace::env {

class SharedPages {
 public:
  explicit SharedPages(std::size_t size);  // Throws Error(resource) where there is no memory
  ~SharedPages();
  SharedPages(SharedPages&& other) noexcept;
  SharedPages& operator=(SharedPages&& other) noexcept;

  std::span<std::byte> bytes() const { return bytes_; }
  // Who gets it can map the bytes, but neither change them nor their number.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
  std::span<std::byte> bytes_;
};

}  // namespace tailrace::env
