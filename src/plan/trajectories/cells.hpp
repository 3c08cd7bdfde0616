// Which cells of a grid make the values along trajectories.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/stations/plane.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan::trajectories {

inline constexpr const char* trajectory_dim = "trajectory";

struct Way {
  const settings::OutputEntry* file;
  const model::Grid* grid;
  stations::Plane plane;
  const model::Coordinate* level;  // along which points lie; null: the grid has no levels, or all are taken
};

// The coordinate along the levels of a grid that the file asks for; null where it asks for none or the grid
// has none. A grid with a further dimension that lacks it is a problem.
const model::Coordinate* level_of(const settings::OutputEntry& file, const model::Grid& grid,
                                  const stations::Plane& plane, config::Problems& problems);

// What is consumed: dims of the plane, and the level's.
std::vector<std::string> dims_of(const Way& way);

// Of the field, and where cells are given one by one (Plane::by_dim is false) of the two coordinates of the
// plane too. Null where something is wrong, which is added to `problems`. Positions outside of the grid make
// a line of `warnings`; none that is within is a problem.
std::shared_ptr<const analytics::Reduction> operator_of(const Way& way,
                                                        const model::Declarations& declarations,
                                                        std::vector<std::string>& warnings,
                                                        config::Problems& problems);

}  // namespace tailrace::plan::trajectories
