// "Did you mean ...?": the hint that every message about an unknown name ends with.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tailrace::base {

// The known name with the smallest edit distance (insert, delete, replace, swap of neighbours; case ignored)
// to `name`, if that is at most 2 or a third of the name's length.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

// ` Did you mean "x"? (known: a, b, x)`, or ` (known: a, b, x)` if no name is near; lists at most 12 names.
std::string name_hint(std::string_view name, std::span<const std::string> known);

}  // namespace tailrace::base
