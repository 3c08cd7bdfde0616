// Names that the configuration gives to dimensions in place of the default ones.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "settings/fields.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::plan {

// Renames the dims of the grid of a diagnostic. The coordinate of a renamed dim is removed, and that of the
// new name is taken from a declared grid, if one has it. If the number of names is wrong, or the model has a
// dim of that name with another extent, nothing changes and the result states the reason.
std::optional<std::string> name_dims(const std::vector<std::string>& names,
                                     const model::Declarations& declared, model::Grid& grid);

// A line for each group whose `dims` match none of the grids of its fields, which then keep their own.
std::vector<std::string> unmet_dims(const std::vector<settings::FieldGroup>& groups,
                                    const model::Declarations& declared);

// A line for each file that asks for coordinates which no grid of the model has.
std::string unmet_coordinates(const settings::OutputEntry& file, const model::Declarations& declared);

}  // namespace tailrace::plan
