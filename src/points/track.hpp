// The positions of trajectories at given times.
#pragma once

#include <optional>
#include <vector>

#include "points/trajectories.hpp"
#include "time/axis.hpp"

namespace tailrace::points {

// The position along the coordinates (as in TrackPoint::at), on the straight line between two points;
// longitudes take the shorter way around. None before the first fix and after the last.
std::optional<std::vector<double>> place_at(const Trajectories& trajectories, const Trajectory& one,
                                            double seconds);

// The positions of all trajectories in records, by coordinate, then by record and trajectory; `missing` where
// there is no position. `stamps` are the times of the records. If a trajectory covers only part of a record's
// window, its position is the one nearest in time.
std::vector<std::vector<double>> places_in(const Trajectories& trajectories,
                                           const std::vector<time::TimeRecord>& records,
                                           const std::vector<double>& stamps, double missing);

}  // namespace tailrace::points
