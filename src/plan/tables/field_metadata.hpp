// What the configuration says of the model's fields in words (`names`).
#pragma once

#include <string>
#include <vector>

#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The declarations with these words, which take the place of the model's: the configuration is nearer to the
// user. Units must mean the model's, if it has any; otherwise throws Error(configuration).
model::Declarations with_words(model::Declarations declarations,
                               const settings::Configuration& configuration);

// A line for each name that is of no field but nearly of one: the file may serve many models, so others are
// none.
std::vector<std::string> slips_in_names(const model::Declarations& declarations,
                                        const settings::Configuration& configuration);

}  // namespace tailrace::plan
