#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace tailrace::base {
namespace {

TEST(Utf8, whole_characters_are_counted_up_to_the_first_that_is_none) {
  EXPECT_EQ(valid_utf8(""), 0U);
  EXPECT_EQ(valid_utf8("h\xC3\xB6he"), 5U);
  EXPECT_EQ(valid_utf8("\xE2\x82\xAC\xF0\x9F\x8C\x8A"), 7U);
  EXPECT_EQ(valid_utf8("ab\xFFgh"), 2U);
  EXPECT_EQ(valid_utf8("caf\xE9"), 3U) << "Latin-1";
  EXPECT_EQ(valid_utf8("a\xE2\x82"), 1U) << "cut in the middle";
  EXPECT_EQ(valid_utf8("\xC0\x80"), 0U) << "longer than need be";
  EXPECT_EQ(valid_utf8("\xE0\x9F\xBF"), 0U);
  EXPECT_EQ(valid_utf8("\xF0\x8F\xBF\xBF"), 0U);
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), 0U) << "half a pair of UTF-16";
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), 0U) << "beyond the last character";
}

TEST(Utf8, quotes_are_printable_and_short) {
  EXPECT_EQ(quotable("h\xC3\xB6he"), "h\xC3\xB6he");
  EXPECT_EQ(quotable(std::string_view("a\0b\x1B[1m\xE9", 8)), "a\\x00b\\x1b[1m\\xe9");
  EXPECT_EQ(quotable(std::string(300, 'n')), std::string(60, 'n') + "...");
  EXPECT_EQ(quotable(std::string(60, 'n')), std::string(60, 'n'));
}

}  // namespace
}  // namespace tailrace::base
