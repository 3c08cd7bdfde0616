// Tags of MONC's XML, which is not quite XML: values may stand without quotes, there are no entities, text
// between tags means nothing, and comments are ended by the first `>` where they are not ended by `-->`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dialects/monc/xml/text.hpp"

namespace tailrace::dialects::monc {

// A value and where it stands.
struct Word {
  std::string text;
  Location location;
  bool empty() const { return text.empty(); }
};

struct Attribute {
  Word name;
  Word value;  // never empty
};

struct Tag {
  std::string name;
  Location location;  // of the `<`
  bool opens = false;
  bool closes = false;  // both: `<field .../>`
  std::vector<Attribute> attributes;

  const Word* find(std::string_view attribute) const;  // the first of that name
};

inline constexpr std::size_t most_mistakes = 100;  // after so many, a step of the translation gives up

// All tags in order. Mistakes become problems, and the scan goes on behind them.
std::vector<Tag> scan(const Text& text, Problems& problems, Warnings& warnings);

}  // namespace tailrace::dialects::monc
