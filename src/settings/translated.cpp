#include "settings/translated.hpp"

#include <algorithm>

#include "dialects/dialect.hpp"

namespace tailrace::settings {

bool is_translated(const config::SourceFile& source) {
  return std::ranges::any_of(dialects::all_dialects(),
                             [&](const auto* dialect) { return dialect->recognises(source.text); });
}

}  // namespace tailrace::settings
