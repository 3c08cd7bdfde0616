// Names under `fields` that stand for all fields like them.
#pragma once

#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Replaces each pattern by the fields that the model puts, that are like it, and that no group lists by their
// names; a field is in the first group with a pattern for it. Throws Error(configuration), with all mistakes,
// for a pattern in a group that is not optional if the model has no such field, and for names elsewhere that
// are listed nowhere, which only the declarations tell.
settings::Configuration with_patterns(settings::Configuration configuration,
                                      const model::Declarations& declarations);

}  // namespace tailrace::plan
