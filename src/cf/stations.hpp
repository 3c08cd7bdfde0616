// The names of stations and what CF's chapter 9, of discrete samplings, asks for besides.
#pragma once

#include <string>

#include "cf/grid.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf {

// Adds the variable with the names, and gives its own; empty where no variable of the file is at stations.
std::string add_station_names(FileLayout& layout, const plan::FilePlan& file, Names& names);

// Adds the featureType to the attributes of the file, unless the user does. A file has one: none is said
// where some of its variables at stations have levels and others not.
void add_feature_type(output::Attributes& attributes, const plan::FilePlan& file,
                      const model::Declarations& declarations);

}  // namespace tailrace::cf
