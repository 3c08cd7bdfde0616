// Applies the configuration to the model's declarations. Every plan is made from the result.
#pragma once

#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Fields get the metadata of `names` and, on masked grids, a fill value. Throws Error(configuration) if units
// contradict. The function is idempotent.
model::Declarations apply_overrides(const settings::Configuration& configuration,
                                    model::Declarations declarations);

}  // namespace tailrace::plan
