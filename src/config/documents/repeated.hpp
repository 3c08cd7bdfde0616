// Recursive sections, which contain lists of sections like themselves: they are documented once.
#pragma once

#include <algorithm>

#include "config/schema.hpp"

namespace tailrace::config::documents {

// Whether `type` is a list of sections that have no option which `around` lacks.
inline bool repeats(const Type& type, const Type& around) {
  if (type.kind != Kind::list || type.parts.front().options.empty()) return false;
  return std::ranges::all_of(type.parts.front().options, [&](const Option& inner) {
    return std::ranges::any_of(around.options, [&](const Option& outer) { return outer.name == inner.name; });
  });
}

}  // namespace tailrace::config::documents
