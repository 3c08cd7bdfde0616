#include "calendar/date_pattern.hpp"

#include <gmock/gmock.h>

namespace tailrace::calendar {
namespace {

TEST(DatePattern, PutsThePartsOfADateInPlace) {
  const Date date{2026, 3, 4, 5, 6, 7.875};
  EXPECT_EQ(format_date(date, "%Y%m%d"), "20260304");
  EXPECT_EQ(format_date(date, "y%Y-%dT%H:%M:%S 100%%"), "y2026-04T05:06:07 100%");
  EXPECT_EQ(format_date({-12, 1, 30, 0, 0, 0.0}, "%Y"), "-0012");
}

TEST(DatePattern, RefusesWhatIsNoPart) {
  EXPECT_FALSE(pattern_complaint("%Y%m"));
  EXPECT_EQ(pattern_complaint("%Y%B"), "\"%B\" is no part of a date (known: %Y, %m, %d, %H, %M, %S, %%)");
  EXPECT_THAT(*pattern_complaint("%Y%"), testing::StartsWith("\"%\" is no part of a date"));
  EXPECT_THAT(*pattern_complaint("YYYY"),
              testing::StartsWith("\"YYYY\" contains no part of a date; expected"));
}

}  // namespace
}  // namespace tailrace::calendar
