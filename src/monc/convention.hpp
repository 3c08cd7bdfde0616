// How MONC counts time, for files that must be equal to its own.
#pragma once

#include "time/convention.hpp"

namespace tailrace::monc {

inline constexpr const char* legacy_name = "monc";  // what the option `legacy` calls it

// Periods in seconds drift: a record ends with the first sample a period, to 1e-7 s, after the sample that
// ended the one before, and a file of a series a period after the end of the file before. Means are those of
// MONC's averages, in which the first sample of a window counts about twice. MONC counts from 0, wherever the
// run begins. Periods in steps and months, which MONC does not have, are those of the standard convention.
const time::Convention& convention();

}  // namespace tailrace::monc
