// The cells of a grid from which values along trajectories are computed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "points/station_cells.hpp"
#include "points/trajectories.hpp"

namespace tailrace::points {

inline constexpr const char* trajectory_dim = "trajectory";

struct TrajectorySearch : Search {
  const model::Coordinate* level = nullptr;  // null: the grid has no levels, or all of them are written
};

// The coordinate along the levels that the trajectories name. Null if they name none or the grid has no
// further dimension. A grid with a further dimension that lacks this coordinate is a problem.
const model::Coordinate* level_of(const Trajectories& trajectories, const model::Grid& grid,
                                  const Plane& plane, config::Problems& problems);

// The dims that a reduction to points consumes: those of the plane and of the level, if any.
std::vector<std::string> dims_of(const model::Grid& grid, const Plane& plane, const model::Coordinate* level);

// A reduction of a field. If the plane has one value of each coordinate for each cell (Plane::by_dim is
// false), both coordinates are arguments too. Null, with a problem, if something is wrong. Positions outside
// of the grid are one line of `warnings`; if all are outside, that is a problem.
std::shared_ptr<const analytics::Reduction> reduction_of(const TrajectorySearch& search,
                                                         const model::Declarations& declarations,
                                                         std::vector<std::string>& warnings,
                                                         config::Problems& problems);

}  // namespace tailrace::points
