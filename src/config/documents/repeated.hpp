// Sections that hold a list of sections like themselves, down to some depth: they are told once.
#pragma once

#include <algorithm>

#include "config/schema.hpp"

namespace tailrace::config::documents {

// True for a list of sections all of whose options `around` has, too.
inline bool repeats(const Type& type, const Type& around) {
  if (type.kind != Kind::list || type.parts.front().options.empty()) return false;
  return std::ranges::all_of(type.parts.front().options, [&](const Option& inner) {
    return std::ranges::any_of(around.options, [&](const Option& outer) { return outer.name == inner.name; });
  });
}

}  // namespace tailrace::config::documents
