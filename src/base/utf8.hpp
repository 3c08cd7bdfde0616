// Text that came from outside, and may be anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tailrace::base {

// How many bytes at the start are valid UTF-8: the size of the text where all of it is.
std::size_t valid_utf8(std::string_view text);

// For a message: control characters and bytes that are no UTF-8 as \x07, and no more than 60 bytes.
std::string quotable(std::string_view text);

}  // namespace tailrace::base
