#include "base/slab.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace tailrace::base {
namespace {

constexpr std::size_t kib = 1024;

TEST(SlabPool, GivesTheSameMemoryAgain) {
  SlabPool pool;
  Slab slab = pool.take(100 * kib);
  EXPECT_EQ(slab.size(), 100 * kib);
  const std::byte* const place = slab.data();
  slab = {};
  EXPECT_GE(pool.kept(), 100 * kib);
  EXPECT_EQ(pool.take(99 * kib).data(), place) << "of nearly the same size";
  EXPECT_NE(pool.take(300 * kib).data(), place);
}

TEST(SlabPool, KeepsNoMoreThanItsBound) {
  SlabPool pool;
  pool.keep_at_most(256 * kib);
  {
    std::vector<Slab> slabs;
    for (int i = 0; i < 5; ++i) slabs.push_back(pool.take(100 * kib));
    EXPECT_EQ(pool.kept(), 0U);
  }
  EXPECT_GE(pool.kept(), 200 * kib);
  EXPECT_LE(pool.kept(), 256 * kib);
  pool.keep_at_most(0);
  EXPECT_EQ(pool.kept(), 0U);
}

TEST(SlabPool, SlabsOutliveIt) {
  SharedBytes bytes;
  {
    SlabPool pool;
    Slab slab = pool.take(200 * kib);
    std::memset(slab.data(), 7, slab.size());
    bytes = std::move(slab);
  }
  EXPECT_EQ(bytes[200 * kib - 1], std::byte{7});
}

TEST(SlabPool, ServesSeveralThreads) {
  SlabPool pool;
  const auto work = [&](int value) {
    for (int i = 0; i < 200; ++i) {
      Slab slab = pool.take(64 * kib + static_cast<std::size_t>(i) * 512);
      std::memset(slab.data(), value, slab.size());
      for (const std::byte byte : slab.bytes()) ASSERT_EQ(byte, std::byte(value));
    }
  };
  std::thread other(work, 1);
  work(2);
  other.join();
}

TEST(SharedBytes, PartsKeepTheWhole) {
  SharedBytes part;
  {
    const SharedBytes whole(std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}});
    part = whole.part(1, 2);
    EXPECT_THROW(whole.part(2, 2), Error);
  }
  EXPECT_EQ(part, SharedBytes(std::vector<std::byte>{std::byte{2}, std::byte{3}}));
}

}  // namespace
}  // namespace tailrace::base
