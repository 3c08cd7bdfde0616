// MONC's convention of time, for files that must be equal to its own.
#pragma once

#include "time/convention.hpp"

namespace tailrace::dialects::monc {

inline constexpr const char* dialect_name = "monc";

// Periods in seconds drift: a record ends with the first sample that is at least a period (to 1e-7 s) after
// the sample that ended the previous record. A file of a series ends a period after the end of the previous
// file. Means have MONC's weights, in which the first sample of a window counts about twice. MONC counts from
// 0, whatever the begin of the run. Periods in steps and months, which MONC does not have, follow the
// standard convention.
const time::Convention& convention();

}  // namespace tailrace::dialects::monc
