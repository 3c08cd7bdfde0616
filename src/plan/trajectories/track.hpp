// Where the points of a file with trajectories are at a time.
#pragma once

#include <optional>
#include <vector>

#include "settings/trajectories/trajectories.hpp"
#include "time/axis.hpp"

namespace tailrace::plan::trajectories {

// Along the coordinates (Fix::at); between two positions on the straight line, along a longitude the shorter
// way. None before the first one and after the last.
std::optional<std::vector<double>> place_at(const settings::Trajectories& trajectories,
                                            const settings::Trajectory& one, double seconds);

// Where all of them are in records, by coordinate and then by record and trajectory; `missing` where one is
// nowhere. `stamps`: the times of the records. In a window that has only a part of a trajectory the place is
// the one that is nearest in time.
std::vector<std::vector<double>> places_in(const settings::Trajectories& trajectories,
                                           const std::vector<time::TimeRecord>& records,
                                           const std::vector<double>& stamps, double missing);

}  // namespace tailrace::plan::trajectories
