// Tables of trajectories: where they are when.
#pragma once

#include <vector>

#include "config/problems.hpp"
#include "config/reading/sources.hpp"
#include "settings/output_entry.hpp"
#include "time/model_time.hpp"

namespace tailrace::settings::trajectories {

// Fills in the trajectories of all files that have some. Dates are those of `time`, which is sound.
void read_tables(std::vector<OutputEntry>& files, const config::Sources& sources, const time::ModelTime& time,
                 config::Problems& problems);

}  // namespace tailrace::settings::trajectories
