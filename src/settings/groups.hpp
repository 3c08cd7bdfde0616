// The section `groups`: names for lists of fields.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "settings/diagnostics.hpp"
#include "settings/fields.hpp"

namespace tailrace::settings {

using Groups =
    std::map<std::string, std::vector<ListedName>>;  // only fields: groups within groups are resolved

// Checks that the names are listed under `fields` or `diagnostics`.
config::Section<Groups> groups_section();

// The fields and diagnostics whose name, with or without its namespace, matches the pattern (`*`, `?`), in
// their order.
std::vector<std::string> names_like(const std::string& pattern, const std::vector<FieldGroup>& fields,
                                    const std::vector<DiagnosticEntry>& diagnostics);

}  // namespace tailrace::settings
