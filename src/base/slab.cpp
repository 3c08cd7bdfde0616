#include "base/slab.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <new>

#include "base/error.hpp"
#include "base/thread_safety.hpp"

namespace tailrace::base {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t worth_keeping = std::size_t{64} << 10;  // below this, malloc is as fast

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, Free>;

// Eight sizes between a power of two and the next, so that a slab fits most requests of about its size.
std::size_t capacity_for(std::size_t size) {
  const std::size_t step = std::max(alignment, std::bit_floor(std::max<std::size_t>(size, 1)) / 8);
  return (std::max<std::size_t>(size, 1) + step - 1) / step * step;
}

}  // namespace

// Free memory by capacity. Memory beyond the bound is returned to the system.
class SlabPool::Shelf {
 public:
  Memory take(std::size_t capacity) {
    {
      const MutexLock lock(mutex_);
      const auto found = free_.find(capacity);
      if (found != free_.end() && !found->second.empty()) {
        Memory memory = std::move(found->second.back());
        found->second.pop_back();
        kept_ -= capacity;
        return memory;
      }
    }
    Memory memory(static_cast<std::byte*>(std::aligned_alloc(alignment, capacity)));
    if (!memory) throw std::bad_alloc();
    return memory;
  }

  void put_back(Memory memory, std::size_t capacity) {
    const MutexLock lock(mutex_);
    if (capacity < worth_keeping || kept_ + capacity > most_) return;
    free_[capacity].push_back(std::move(memory));
    kept_ += capacity;
  }

  void keep_at_most(std::size_t bytes) {
    const MutexLock lock(mutex_);
    most_ = bytes;
    if (kept_ <= most_) return;
    free_.clear();
    kept_ = 0;
  }

  std::size_t kept() const {
    const MutexLock lock(mutex_);
    return kept_;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::size_t, std::vector<Memory>> free_ TAILRACE_GUARDED_BY(mutex_);  // by capacity
  std::size_t kept_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::size_t most_ TAILRACE_GUARDED_BY(mutex_) = std::size_t{16} << 20;
};

SlabPool::SlabPool() : shelf_(std::make_shared<Shelf>()) {}

Slab SlabPool::take(std::size_t size) {
  const std::size_t capacity = capacity_for(size);
  Memory memory = shelf_->take(capacity);
  const auto put_back = [shelf = shelf_, capacity](std::byte* used) {
    shelf->put_back(Memory(used), capacity);
  };
  return {std::shared_ptr<std::byte>(memory.release(), put_back), size};
}

void SlabPool::keep_at_most(std::size_t bytes) { shelf_->keep_at_most(bytes); }

std::size_t SlabPool::kept() const { return shelf_->kept(); }

SharedBytes::SharedBytes(std::vector<std::byte> bytes) {
  const auto kept = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *kept;
  keeper_ = kept;
}

SharedBytes SharedBytes::part(std::size_t first, std::size_t count) const {
  TAILRACE_ASSERT(first <= size() && count <= size() - first, "a part lies within its bytes");
  SharedBytes part = *this;
  part.bytes_ = bytes_.subspan(first, count);
  return part;
}

bool SharedBytes::operator==(const SharedBytes& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace tailrace::base
