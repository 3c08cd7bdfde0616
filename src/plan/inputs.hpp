// The inputs of a model: which of them the configuration provides, and what they need of the model.
#pragma once

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Lists the inputs that the section `input` provides, in Plan::inputs. Adds a problem for each input that the
// model needs and the section lacks, and for each target of a vertical interpolation that the model lacks;
// a warning for each field of the section that the model does not declare.
void plan_inputs(const settings::Configuration& configuration, const model::Declarations& declarations,
                 Plan& plan, config::Problems& problems);

}  // namespace tailrace::plan
