// The manifest of a checkpoint as text: JSON that ends with its own checksum. A checkpoint is valid if it has
// one.
#pragma once

#include <string>
#include <string_view>

#include "checkpoint/checkpoint.hpp"

namespace tailrace::checkpoint {

// Throws Error(internal) if a text of the caller is not UTF-8.
std::string to_text(const Manifest& manifest);

// Thrown for a complete checkpoint that this program cannot use.
struct Refused {
  std::string why;
};

// Throws Error(resource) with what is wrong with the text; the checksum detects any flipped bit. Throws
// Refused for a manifest of a later version, or with another byte order.
Manifest manifest_of(std::string_view text);

}  // namespace tailrace::checkpoint
