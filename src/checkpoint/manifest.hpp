// The manifest of a set as text, which makes it valid: JSON that ends with its own checksum.
#pragma once

#include <string>
#include <string_view>

#include "checkpoint/checkpoint.hpp"

namespace tailrace::checkpoint {

// Error(internal) for a text of the caller that is not UTF-8.
std::string to_text(const Manifest& manifest);

// A set that is whole but not for this program.
struct Refused {
  std::string why;
};

// Throws Error(resource) that says what is wrong with the text: a flipped bit anywhere is noticed. Throws
// Refused for a manifest of a later version, or about numbers whose bytes are in another order.
Manifest manifest_of(std::string_view text);

}  // namespace tailrace::checkpoint
