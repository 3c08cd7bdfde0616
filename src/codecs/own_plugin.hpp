// Codecs whose chunks readers can decode only with a plugin of Tailrace.
#pragma once

#include <string>

namespace tailrace::codecs {

bool needs_own_plugin(const std::string& codec);  // false for an unknown one too

}  // namespace tailrace::codecs
