#include "base/logged_warnings.hpp"

#include <gtest/gtest.h>

#include "base/log.hpp"

namespace tailrace::base {
namespace {

TEST(LoggedWarningsTest, has_warnings_and_errors_and_nothing_else) {
  const std::uint64_t before = logged_warnings().count;
  log_info("it goes on");
  log_warning("the disk is slow");
  log_error("the disk is full");
  const LoggedWarnings found = logged_warnings();
  EXPECT_EQ(found.count, before + 2);
  ASSERT_GE(found.last.size(), 2u);
  EXPECT_EQ(found.last[found.last.size() - 2], "the disk is slow");
  EXPECT_EQ(found.last.back(), "the disk is full");
}

TEST(LoggedWarningsTest, stays_small_whatever_is_logged) {
  for (int k = 0; k < 100; ++k) remember_warning(std::to_string(k) + std::string(10000, 'x'));
  const LoggedWarnings found = logged_warnings();
  ASSERT_EQ(found.last.size(), logged_warnings_kept);
  EXPECT_TRUE(found.last.back().starts_with("99x"));
  for (const std::string& one : found.last) EXPECT_LE(one.size(), 500u);
}

}  // namespace
}  // namespace tailrace::base
