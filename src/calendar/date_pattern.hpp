// Dates in a format that the user chooses: %Y %m %d %H %M %S, and %% for a percent sign.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calendar/calendar.hpp"

namespace tailrace::calendar {

// Returns what is wrong with a pattern, if anything.
std::optional<std::string> pattern_complaint(std::string_view pattern);
// Seconds are truncated to whole ones. REQUIRES: the pattern has no complaint.
std::string format_date(const Date& date, std::string_view pattern);

}  // namespace tailrace::calendar
