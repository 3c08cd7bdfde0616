// The program's operator new and delete, which count.
#include "server/tests/counted_memory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace {

std::atomic<std::size_t> held{0}, peak{0};

void* counted(void* block) {
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t now = held.fetch_add(malloc_usable_size(block)) + malloc_usable_size(block);
  std::size_t before = peak.load();
  while (now > before && !peak.compare_exchange_weak(before, now)) {
  }
  return block;
}

void uncounted(void* block) noexcept {
  if (block == nullptr) return;
  held.fetch_sub(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
// Sanitizers have one of their own otherwise.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* block) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t) noexcept { uncounted(block); }
void operator delete(void* block, std::align_val_t) noexcept { uncounted(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { uncounted(block); }

namespace tailrace::server::testing {

CountedMemory::CountedMemory() : before_(::held.load()) { ::peak.store(before_); }
std::size_t CountedMemory::held() const { return ::held.load() - before_; }
std::size_t CountedMemory::peak() const { return ::peak.load() - before_; }

namespace {

TEST(CountedMemory, counts_what_is_held_and_what_was) {
  const CountedMemory memory;
  auto kept = std::make_unique<std::vector<char>>(10000);
  { const std::vector<char> gone(50000); }
  EXPECT_GE(memory.held(), 10000u);
  EXPECT_LT(memory.held(), 11000u);
  EXPECT_GE(memory.peak(), 60000u);
  EXPECT_LT(memory.peak(), 62000u);
  kept.reset();
  EXPECT_EQ(memory.held(), 0u);
}

}  // namespace
}  // namespace tailrace::server::testing
