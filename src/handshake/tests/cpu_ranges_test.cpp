#include "handshake/placement/cpu_ranges.hpp"

#include <gmock/gmock.h>

namespace tailrace::handshake {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(CpuRanges, AreTheRunsOfNumbers) {
  EXPECT_THAT(to_ranges({0, 1, 2, 5, 7, 8}), ElementsAre(0, 3, 5, 6, 7, 9));
  EXPECT_THAT(from_ranges({0, 3, 5, 6, 7, 9}), ElementsAre(0, 1, 2, 5, 7, 8));
  EXPECT_THAT(to_ranges({}), IsEmpty());
  EXPECT_THAT(from_ranges({}), IsEmpty());
}

}  // namespace
}  // namespace tailrace::handshake
