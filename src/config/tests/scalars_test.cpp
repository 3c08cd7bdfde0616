#include "config/scalars.hpp"

#include <gtest/gtest.h>

namespace tailrace::config {
namespace {

TEST(Scalars, SizesHaveAUnit) {
  EXPECT_EQ(parse_size("256 MiB"), 268435456u);
  EXPECT_EQ(parse_size("1.5kB"), 1500u);
  EXPECT_EQ(parse_size("7 B"), 7u);
  EXPECT_EQ(parse_size("2 TiB"), 2199023255552u);
  for (const char* text : {"256", "", "MiB", "-1 MiB", "1 mib", "1 MiB ", "1..5 MB", "99999999999 TiB"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Scalars, NumbersAreWhole) {
  EXPECT_EQ(parse_integer("-12"), -12);
  EXPECT_EQ(parse_integer("+3"), 3);
  for (const char* text : {"1.0", "1e3", "", "12x", "99999999999999999999"})
    EXPECT_FALSE(parse_integer(text)) << text;
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  EXPECT_EQ(parse_real("2"), 2.0);
  for (const char* text : {"nan", "inf", "", "1,5", "one"}) EXPECT_FALSE(parse_real(text)) << text;
  EXPECT_EQ(parse_flag("true"), true);
  EXPECT_EQ(parse_flag("false"), false);
  EXPECT_FALSE(parse_flag("yes"));
}

}  // namespace
}  // namespace tailrace::config
