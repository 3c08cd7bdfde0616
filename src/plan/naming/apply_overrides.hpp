// What the model declared, with what the configuration says of it: every plan is made from this.
#pragma once

#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Fields get the words of `names:` and, on grids with a mask, a fill value. Throws Error(configuration) where
// units contradict. To do it again changes nothing.
model::Declarations apply_overrides(const settings::Configuration& configuration,
                                    model::Declarations declarations);

}  // namespace tailrace::plan
