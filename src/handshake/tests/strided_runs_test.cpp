#include "handshake/bootstrap/strided_runs.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

namespace tailrace::handshake {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(StridedRuns, keeps_what_ranks_have_in_common_short) {
  StridedRuns in_blocks, in_turn, strided;
  for (int rank = 0; rank < 100'000; ++rank) {
    in_blocks.push_back(rank / 128 * 128);
    in_turn.push_back(rank % 782);
    strided.push_back(127 + 128 * rank % 99'968);
  }
  EXPECT_LE(in_blocks.runs(), 2u * 782);
  EXPECT_LE(in_turn.runs(), 2u * 128);
  EXPECT_LE(strided.runs(), 2u * 128);
}

TEST(StridedRuns, is_what_a_vector_is) {
  std::mt19937 dice(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int> values(dice() % 60);
    const int kinds = 1 + static_cast<int>(dice() % 5);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = dice() % 3 == 0 || i == 0 ? static_cast<int>(dice()) % kinds - 1
                                            : values[i - 1] + static_cast<int>(dice() % 2);
    StridedRuns sequence(values);
    base::ByteWriter writer;
    sequence.put(writer);
    base::ByteReader reader(writer.bytes());
    ASSERT_EQ(StridedRuns::get(reader), sequence);
    ASSERT_EQ(std::vector<int>(sequence.begin(), sequence.end()), values);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(sequence[i], values[i]);
    for (int value = -2; value < 8; ++value) {
      ASSERT_EQ(sequence.count(value), static_cast<std::size_t>(std::ranges::count(values, value)));
      const auto first = std::ranges::find(values, value);
      const auto found = sequence.find(value);
      ASSERT_EQ(found.has_value(), first != values.end());
      if (found) {
        ASSERT_EQ(static_cast<std::ptrdiff_t>(*found), first - values.begin());
      }
    }
    if (!values.empty()) {
      ASSERT_EQ(sequence.front(), values.front());
      ASSERT_EQ(sequence.back(), values.back());
    }
  }
}

TEST(StridedRuns, says_where_a_number_is_in_stretches) {
  const StridedRuns sequence{4, 4, 4, 1, 2, 4, 4, 7};
  EXPECT_THAT(sequence.stretches_of(4), ElementsAre(Pair(0, 3), Pair(5, 7)));
  EXPECT_TRUE(sequence.stretches_of(3).empty());
}

TEST(StridedRuns, refuses_damaged_messages) {
  StridedRuns sequence{1, 2, 3, 9, 9};
  base::ByteWriter writer;
  sequence.put(writer);
  int refused = 0;
  for (std::size_t i = 0; i < writer.bytes().size(); ++i) {
    std::vector<std::byte> damaged(writer.bytes().begin(), writer.bytes().end());
    damaged[i] ^= std::byte{0x80};
    try {
      base::ByteReader reader(damaged);
      const StridedRuns read = StridedRuns::get(reader);
      for (std::size_t place = 0; place < std::min<std::size_t>(read.size(), 1000); ++place)
        std::ignore = read[place];
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace tailrace::handshake
