// The names in files of WRF, and what these cannot hold of a plan.
#pragma once

#include "calendar/calendar.hpp"
#include "config/problems.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan::wrf {

inline constexpr const char* time_dim = "Time";
inline constexpr const char* dates = "Times";            // the variable with the date of each record
inline constexpr const char* characters = "DateStrLen";  // its second dim
inline constexpr std::size_t date_length = 19;           // 2000-01-24_12:00:00

// Names the axis of the file. Adds a problem if it has several, if the run has no dates, or if a dim has
// another extent on one grid of the file than on another one.
void settle(DatasetPlan& file, const model::Declarations& declarations, const calendar::Calendar& calendar,
            config::Problems& problems);

}  // namespace tailrace::plan::wrf
