// Names that are misspelt wherever the configuration has them, so that nothing in it contradicts them.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "plan/naming/missing_fields.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Whether one is the other with a letter too many, too few, in another place or another one. Letters that
// tell components or numbers apart (u, v, w, x, y, z, digits) are no slip for each other.
bool is_slip(const std::string& one, const std::string& other);

// A line where an absent field may mean one that the model declares and nobody asks for; namespaces do not
// count. Empty where there is none.
std::string hint_of_slips(const std::vector<Absent>& absent, const settings::Configuration& configuration,
                          const model::Declarations& declared);

}  // namespace tailrace::plan
