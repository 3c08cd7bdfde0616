// The variables that CF requires for discrete sampling geometries (chapter 9): the names of stations and
// trajectories, and the positions of trajectories.
#pragma once

#include <string>
#include <vector>

#include "cf/grid.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf {

// Adds a variable with the names of the points, and variables with the positions of trajectories. Returns the
// name of the former, which all variables at points list in `coordinates`; empty if no variable is at points.
std::vector<std::string> add_point_coordinates(DatasetLayout& layout, const plan::DatasetPlan& file,
                                               Names& names);

// The names of the variables with the positions in the records of an axis.
std::vector<std::string> places_of(const DatasetLayout& layout, int axis);

// Adds featureType to the attributes of the file, unless the user gives it. A file has only one, so none is
// added if some of its variables at points have levels and others do not.
void add_feature_type(output::Attributes& attributes, const plan::DatasetPlan& file,
                      const model::Declarations& declarations);

}  // namespace tailrace::cf
