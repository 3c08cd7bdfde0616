// The attributes of values that are rounded within a bound (CF 8.4, and attributes of our own).
#pragma once

#include "cf/grid.hpp"

namespace tailrace::cf {

// Gives variables whose values are rounded the attributes of the bound and of the largest errors, which are 0
// until commits replace them, and adds the quantization variables of CF that they refer to.
void add_quantization(DatasetLayout& layout, GridWriter& writer);

}  // namespace tailrace::cf
