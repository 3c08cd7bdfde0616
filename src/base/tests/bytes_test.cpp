#include "base/bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailrace::base {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Bytes, come_back_in_the_order_they_went_in) {
  ByteWriter out;
  out.put(std::int32_t{-7});
  out.put_text("µ-physics");
  out.put_all(std::span<const double>(std::vector<double>{1.5, -2.5}));
  out.put_all(std::span<const float>());
  out.put(true);
  const std::vector<std::byte> bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.get<std::int32_t>(), -7);
  EXPECT_EQ(in.get_text(), "µ-physics");
  EXPECT_THAT(in.get_all<double>(), ElementsAre(1.5, -2.5));
  EXPECT_THAT(in.get_all<float>(), IsEmpty());
  EXPECT_TRUE(in.get<bool>());
  EXPECT_THAT(in.rest(), IsEmpty());
}

TEST(Bytes, refuse_what_is_neither_yes_nor_no) {
  const std::vector<std::byte> bytes(1, std::byte{6});
  EXPECT_THROW(ByteReader(bytes).get<bool>(), Error);
}

TEST(Bytes, refuse_to_be_read_past_their_end) {
  ByteWriter out;
  out.put(std::int32_t{1});
  ByteReader in(out.bytes());
  EXPECT_THROW(in.get<std::int64_t>(), Error);
  EXPECT_EQ(in.get<std::int32_t>(), 1);
  EXPECT_THROW(in.get<char>(), Error);
}

TEST(Bytes, refuse_lengths_that_the_message_cannot_hold) {
  for (const std::int64_t length : {std::int64_t{2}, std::int64_t{-1}, INT64_MAX}) {
    ByteWriter out;
    out.put(length);
    out.put(1.0);
    ByteReader in(out.bytes());
    EXPECT_THROW(in.get_all<double>(), Error) << length;
  }
}

TEST(Bytes, filled_with_an_element_hold_nothing_else) {
  for (const std::size_t size : {1, 3, 4, 8, 5000}) {
    std::vector<std::byte> element(size);
    for (std::size_t i = 0; i < size; ++i) element[i] = static_cast<std::byte>(i + 1);
    for (const std::size_t elements : {0, 1, 2, 7, 1000}) {
      std::vector<std::byte> target(elements * size + 1, std::byte{0});
      fill_with(element, std::span(target).first(elements * size));
      for (std::size_t i = 0; i < elements * size; ++i) ASSERT_EQ(target[i], element[i % size]) << i;
      EXPECT_EQ(target.back(), std::byte{0});
    }
  }
}

}  // namespace
}  // namespace tailrace::base
