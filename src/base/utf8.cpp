#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::base {
namespace {

constexpr std::size_t longest_quote = 60;

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The number of bytes of the character at the start; 0 if it is not valid. After some first bytes the range
// of the second is narrower, which excludes overlong forms, surrogates, and values beyond U+10FFFF (RFC
// 3629).
std::size_t character_length(std::string_view text) {
  const unsigned char first = byte_at(text, 0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF5 || first < 0xC2 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (length == 0 || text.size() < length) return 0;
  const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, 1) < lowest || byte_at(text, 1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if ((byte_at(text, i) & 0xC0) != 0x80) return 0;
  return length;
}

}  // namespace

std::size_t valid_utf8(std::string_view text) {
  std::size_t valid = 0;
  while (valid < text.size()) {
    const std::size_t length = character_length(text.substr(valid));
    if (length == 0) break;
    valid += length;
  }
  return valid;
}

std::string quotable(std::string_view text) {
  std::string quoted;
  for (std::size_t at = 0; at < text.size();) {
    if (at >= longest_quote) return quoted + "...";
    const std::size_t length = character_length(text.substr(at));
    const unsigned char first = byte_at(text, at);
    if (length == 0 || first < 0x20 || first == 0x7F)
      quoted += fmt::format("\\x{:02x}", first);
    else
      quoted += text.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return quoted;
}

}  // namespace tailrace::base
