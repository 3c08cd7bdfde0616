#include "base/decimal_text.hpp"

#include <gtest/gtest.h>

namespace tailrace::base {
namespace {

TEST(DecimalText, has_one_to_ten_decimals) {
  EXPECT_EQ(decimal_text(20), "20.0");
  EXPECT_EQ(decimal_text(0.25), "0.25");
  EXPECT_EQ(decimal_text(1.0 / 3.0), "0.3333333333");
  EXPECT_EQ(decimal_text(-1e-12), "-0.0");
}

}  // namespace
}  // namespace tailrace::base
