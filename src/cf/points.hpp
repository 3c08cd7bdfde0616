// What CF's chapter 9, of discrete samplings, asks for: names of stations and trajectories, and the places of
// the latter.
#pragma once

#include <string>
#include <vector>

#include "cf/grid.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf {

// Adds the variable with the names, which all variables at points have among their `coordinates`, and the
// variables with the places of trajectories. Gives the names of the first; empty where no variable is at
// points.
std::vector<std::string> add_point_coordinates(DatasetLayout& layout, const plan::DatasetPlan& file,
                                               Names& names);

// The variables with the places in the records of an axis.
std::vector<std::string> places_of(const DatasetLayout& layout, int axis);

// Adds the featureType to the attributes of the file, unless the user does. A file has one: none is said
// where some of its variables at stations have levels and others not.
void add_feature_type(output::Attributes& attributes, const plan::DatasetPlan& file,
                      const model::Declarations& declarations);

}  // namespace tailrace::cf
