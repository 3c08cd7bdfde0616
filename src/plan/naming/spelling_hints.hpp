// Finds names that are misspelt consistently throughout the configuration.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "plan/naming/missing_fields.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// True if the names differ by one inserted, missing, moved or replaced letter. Letters that distinguish
// components or numbers (u, v, w, x, y, z, digits) are not mistaken for each other.
bool is_slip(const std::string& one, const std::string& other);

// A line that suggests declared fields which nobody asks for in place of absent ones; namespaces are ignored.
// Empty if there are none.
std::string hint_of_slips(const std::vector<Absent>& absent, const settings::Configuration& configuration,
                          const model::Declarations& declared);

}  // namespace tailrace::plan
