#include "base/index.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tailrace::base {
namespace {

TEST(Index, is_the_number_as_containers_count) {
  enum class Place : std::uint8_t { first, second };
  static_assert(index(3) == std::size_t{3});
  static_assert(index(std::int64_t{1} << 40) == std::size_t{1} << 40);
  static_assert(index(Place::second) == std::size_t{1});
}

TEST(IndexDeathTest, a_negative_one_is_a_bug_that_debug_builds_find) {
#ifdef NDEBUG
  GTEST_SKIP() << "this build has no assertions";
#endif
  EXPECT_DEATH(index(-1), "i >= 0");
}

}  // namespace
}  // namespace tailrace::base
