// The inputs of a model: which of them the configuration provides, and what they need of the model.
#pragma once

#include <vector>

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

// The grids to which input is regridded and whose cells only the ranks know, ascending. They send these to
// the servers.
std::vector<int> input_grids_of_ranks(const Plan& plan, const model::Declarations& declarations);

}  // namespace tailrace::plan
