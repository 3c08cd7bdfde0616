// The version of this library, which the build defines.
#pragma once

#include <string_view>

namespace tailrace::base {

inline constexpr std::string_view version = TAILRACE_VERSION;

}  // namespace tailrace::base
