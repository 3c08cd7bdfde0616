// Lists the changes that a restart would make to existing files, for `tailrace check --restart`.
#pragma once

#include <string>

#include "checkpoint/checkpoint_check.hpp"
#include "plan/plan.hpp"

namespace tailrace::session {

// A line for each checkpoint and file that a run which continues from this checkpoint would remove, shorten
// or replace before its first step, or that stays although it is later. Relative paths lead from the working
// directory, as in the run. Opens the shards, changes nothing. Throws Error(resource) if a shard, or the list
// of the files of the run, cannot be read.
std::string preview_restart(plan::Plan plan, const checkpoint::FoundCheckpoint& from);

}  // namespace tailrace::session
