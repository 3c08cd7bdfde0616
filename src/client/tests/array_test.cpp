// Copies of arrays of every rank, with gaps, holes, reversed and repeated dims, against a loop over all
// indices.
#include "client/array.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "base/error.hpp"

namespace tailrace::client {
namespace {

using Extents = std::vector<std::int64_t>;

// The elements in C order, fetched one by one.
template <class T>
std::vector<T> expected(const T* data, const Extents& shape, const Extents& strides) {
  std::vector<T> values;
  const std::int64_t size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t number = 0; number < size; ++number) {
    std::int64_t rest = number, at = 0;
    for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) at += rest % shape[d] * strides[d];
    values.push_back(data[at]);
  }
  return values;
}

template <class T>
std::vector<T> copied(const T* data, model::DataType type, const Extents& shape, const Extents& strides) {
  const Array array{data, type, shape, strides};
  std::vector<T> values(static_cast<std::size_t>(array.size()), T{-1});
  copy_dense(array, std::as_writable_bytes(std::span(values)));
  return values;
}

// Dims laid out in memory in a random order, each with room to spare, some reversed or of extent 1.
template <class T>
void try_random(unsigned seed, model::DataType type) {
  std::mt19937 random(seed);
  const auto pick = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const auto rank = static_cast<std::size_t>(pick(0, 5));
  Extents shape(rank), strides(rank);
  for (std::int64_t& extent : shape) extent = pick(0, 3) == 0 ? 1 : pick(1, 5);
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), std::size_t{0});  // fastest first: the last dim, as in C
  if (pick(0, 2) == 0) std::shuffle(order.begin(), order.end(), random);
  std::int64_t room = pick(0, 2) == 0 ? 2 : 1, first = 0;
  for (const std::size_t d : order) {
    strides[d] = room;
    room *= shape[d] + (pick(0, 2) == 0 ? pick(0, 2) : 0);
    if (pick(0, 3) == 0) {
      first += strides[d] * (shape[d] - 1);
      strides[d] = -strides[d];
    }
    if (shape[d] == 1 && pick(0, 1) == 0) strides[d] = 1000000;  // nothing is there, and nothing is read
  }
  std::vector<T> memory(static_cast<std::size_t>(room) + 1);
  std::iota(memory.begin(), memory.end(), T{1});
  const T* data = memory.data() + first;
  ASSERT_EQ(copied(data, type, shape, strides), expected(data, shape, strides)) << "seed " << seed;
}

TEST(Array, CopiesAnyStrides) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    try_random<float>(seed, model::DataType::float32);
    try_random<std::int64_t>(seed, model::DataType::int64);
  }
}

TEST(Array, WithoutStridesLiesInCOrder) {
  const std::vector<double> memory{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(copied(memory.data(), model::DataType::float64, {2, 3}, {}), memory);
}

TEST(Array, AnInteriorComesOutOfItsHalo) {
  std::vector<std::int32_t> memory(4 * 5);
  std::iota(memory.begin(), memory.end(), 0);
  EXPECT_EQ(copied(memory.data() + 6, model::DataType::int32, {2, 3}, {5, 1}),
            (std::vector<std::int32_t>{6, 7, 8, 11, 12, 13}));
}

TEST(Array, AStrideOfNothingRepeatsTheElement) {
  const std::vector<float> memory{1, 2};
  EXPECT_EQ(copied(memory.data(), model::DataType::float32, {2, 3}, {1, 0}),
            (std::vector<float>{1, 1, 1, 2, 2, 2}));
}

// Those are copied by stores of their own kind: in one run, in runs of whole cache lines, in long runs that
// end in the middle of one, and in runs for which that does not pay; with the target on a line and off it.
TEST(Array, LargeArraysAreCopiedLikeSmallOnes) {
  std::vector<double> memory(400000);
  std::iota(memory.begin(), memory.end(), 0.0);
  const double* data = memory.data() + 3;
  const Extents shapes[] = {{90001}, {1300, 64}, {130, 601}, {1400, 61}};
  const Extents strides[] = {{}, {67, 1}, {603, 1}, {64, 1}};
  for (std::size_t i = 0; i < std::size(shapes); ++i) {
    const Array array{data, model::DataType::float64, shapes[i], strides[i]};
    const Extents walked = strides[i].empty() ? Extents{1} : strides[i];
    for (const std::size_t off : {0U, 1U, 5U}) {
      std::vector<double> target(off + static_cast<std::size_t>(array.size()) + 1, -1.0);
      const std::span inside(target.data() + off, static_cast<std::size_t>(array.size()));
      copy_dense(array, std::as_writable_bytes(inside));
      ASSERT_EQ(std::vector<double>(inside.begin(), inside.end()), expected(data, shapes[i], walked)) << i;
      EXPECT_EQ(target.back(), -1.0) << "nothing behind it is touched";
    }
  }
}

TEST(Array, EmptyArraysAreNotRead) {
  EXPECT_TRUE(copied<double>(nullptr, model::DataType::float64, {3, 0, 2}, {8, 4, 1}).empty());
  EXPECT_TRUE(copied<double>(nullptr, model::DataType::float64, {0}, {}).empty());
}

TEST(Array, TheTargetHasTheArraysSize) {
  const std::vector<double> memory(4);
  const Extents shape{4};
  std::vector<std::byte> target(31);
  EXPECT_THROW(copy_dense({memory.data(), model::DataType::float64, shape, {}}, target), Error);
}

}  // namespace
}  // namespace tailrace::client
