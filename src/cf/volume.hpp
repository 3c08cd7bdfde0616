// How much the files of a plan take, for people: chunks, and bytes as time goes on.
#pragma once

#include <optional>
#include <string>

#include "model/declarations.hpp"
#include "plan/plan.hpp"

namespace tailrace::cf {

struct Speed {  // of a run that went before, in a second of wall clock
  double model_seconds = 0.0;
  double steps = 0.0;
};

// A tree of lines; empty where there is no file. Not compressed, without what is written once. What a step
// covers is known from `speed` alone: without it, records by steps are told by 1000 steps.
std::string describe_volume(const plan::Plan& plan, const settings::Configuration& configuration,
                            const model::Declarations& declarations, const std::optional<Speed>& speed);

}  // namespace tailrace::cf
