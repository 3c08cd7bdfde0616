// The standard convention; that of MONC has its test in its own room.
#include "time/convention.hpp"

#include "time/testing/convention_conformance.hpp"

namespace tailrace::time {
namespace {

TEST(StandardConvention, conforms) { testing::check_convention(standard_convention()); }

TEST(StandardConvention, counts_files_by_the_grid) {
  const calendar::Calendar none;
  const Ruler ruler(Period::of_seconds(10.0), none);
  const Convention& standard = standard_convention();
  LastEdge last = standard.first_edge(ruler, {7, 1003.0});
  EXPECT_EQ(last.index, 100);
  EXPECT_FALSE(standard.ends_file(ruler, {8, 1009.0}, last));
  EXPECT_TRUE(standard.ends_file(ruler, {9, 1032.0}, last));
  EXPECT_EQ(last.index, 103);
}

TEST(StandardConvention, says_what_values_are) {
  const Convention& standard = standard_convention();
  const Period step = Period::of_steps(1), ten = Period::of_seconds(10.0), day = Period::parse("1 d");
  EXPECT_EQ(standard.instants_in_words(step, step), "values at every model step");
  EXPECT_EQ(standard.instants_in_words(ten, ten),
            "each value is that of the first model step at or past each multiple of 10 s");
  EXPECT_EQ(standard.instants_in_words(Period::of_months(1), ten),
            "each value is that of the first sample (taken every 10 s) at or past the begin of every month");
  EXPECT_EQ(standard.windows_in_words(day, false), "every 1 d");
  EXPECT_EQ(standard.windows_in_words(day, true), "every 1 d, to the first sample at or past that");
}

}  // namespace
}  // namespace tailrace::time
