// Numbers in names of files and dimensions.
#pragma once

#include <string>

namespace tailrace::base {

// 20.0, 0.25: up to ten decimals, at least one.
std::string decimal_text(double value);

}  // namespace tailrace::base
