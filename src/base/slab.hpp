// A pool of large pieces of memory, like a slab allocator (Bonwick, USENIX 1994). The first access to fresh
// pages costs more than the copy into them, so pieces are used again.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tailrace::base {

// Uninitialised memory. It returns to its pool when the last owner releases it.
class Slab {
 public:
  Slab() = default;
  std::byte* data() { return memory_.get(); }
  const std::byte* data() const { return memory_.get(); }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() { return {memory_.get(), size_}; }
  std::span<const std::byte> bytes() const { return {memory_.get(), size_}; }
  explicit operator bool() const { return memory_ != nullptr; }

 private:
  friend class SlabPool;
  friend class SharedBytes;
  Slab(std::shared_ptr<std::byte> memory, std::size_t size) : memory_(std::move(memory)), size_(size) {}
  std::shared_ptr<std::byte> memory_;
  std::size_t size_ = 0;
};

// Safe from several threads. Copies of a pool share their memory, and slabs may outlive them.
class SlabPool {
 public:
  SlabPool();  // keeps at most 16 MiB of free memory
  Slab take(std::size_t size);
  void keep_at_most(std::size_t bytes);
  std::size_t kept() const;  // bytes of free memory

 private:
  class Shelf;
  std::shared_ptr<Shelf> shelf_;
};

// Immutable bytes, which live as long as any copy or part of them. Copies are cheap. It converts to a span
// like any range.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::vector<std::byte> bytes);                                    // NOLINT: implicit on purpose
  SharedBytes(Slab slab) : SharedBytes(std::move(slab.memory_), slab.size_) {}  // NOLINT: implicit too

  const std::byte* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  auto begin() const { return bytes_.begin(); }
  auto end() const { return bytes_.end(); }
  const std::byte& operator[](std::size_t i) const { return bytes_[i]; }
  std::vector<std::byte> copy() const { return {bytes_.begin(), bytes_.end()}; }
  SharedBytes part(std::size_t first, std::size_t count) const;
  bool operator==(const SharedBytes& other) const;

 private:
  SharedBytes(std::shared_ptr<const void> keeper, std::size_t size)
      : keeper_(std::move(keeper)), bytes_(static_cast<const std::byte*>(keeper_.get()), size) {}
  std::shared_ptr<const void> keeper_;
  std::span<const std::byte> bytes_;
};

}  // namespace tailrace::base
