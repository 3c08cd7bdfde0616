// Text from outside, which may contain any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tailrace::base {

// How many bytes at the start are valid UTF-8.
std::size_t valid_utf8(std::string_view text);

// Text for a message: control characters and invalid bytes become \x07, and it is cut after some 60 bytes.
std::string quotable(std::string_view text);

}  // namespace tailrace::base
