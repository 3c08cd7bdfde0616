// Applies the section `names` to the model's declarations.
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The declarations with the metadata of `names`, which replace the model's, since the user writes them. Units
// must be equivalent to the model's, if it has any; otherwise throws Error(configuration).
model::Declarations with_metadata(model::Declarations declarations,
                                  const settings::Configuration& configuration);

// A warning for each name that belongs to no field but is close to one. Other names without a field are not
// reported, since a file of names may serve many models.
std::vector<std::string> misspelt_names(const model::Declarations& declarations,
                                        const settings::Configuration& configuration);

}  // namespace tailrace::plan
