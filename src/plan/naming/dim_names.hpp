// Names of dimensions that the configuration gives in place of those that come by themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "settings/fields.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::plan {

// Renames the dims of the grid of a diagnostic. The coordinate of a dim that gets another name goes, and that
// of the new name comes from a declared grid, where one has it. Gives what is wrong with the names, and then
// changes nothing: how many they are, or that the model has such a dim of another extent.
std::optional<std::string> name_dims(const std::vector<std::string>& names,
                                     const model::Declarations& declared, model::Grid& grid);

// A line for each group whose `dims` no grid of the model has for its fields, which keep their own.
std::vector<std::string> unmet_dims(const std::vector<settings::FieldGroup>& groups,
                                    const model::Declarations& declared);

// A line where a file is to have coordinates that no grid of the model has.
std::string unmet_coordinates(const settings::OutputEntry& file, const model::Declarations& declared);

}  // namespace tailrace::plan
