// Describes, for `tailrace check`, what a run would read for the section `input`.
#pragma once

#include <cstddef>
#include <string>

#include "plan/plan.hpp"

namespace tailrace::session {

// Opens the files of all entries, relative ones from the working directory, in processes of their own;
// blocks. Throws Error(configuration) with a line for each field that cannot work. Empty if nothing is read.
//
// Without a model. Files whose names contain options of the model that are not given are left out.
std::string preview_input(const settings::Configuration& configuration);
// The fields of the plan, with all that `ready` checks. `ranks`: of the model.
std::string preview_input(const settings::Configuration& configuration, const plan::Plan& plan,
                          const model::Declarations& declarations, std::size_t ranks);

}  // namespace tailrace::session
