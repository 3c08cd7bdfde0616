// The names of the methods in configurations, in files of weights and for the process that makes them, and
// their differences.
#pragma once

#include <string>

#include "regrid/options.hpp"

namespace tailrace::regrid {

std::string name_of(Method method);  // "conservative", ...; "file"
std::string name_of(Normalisation normalisation);

// Its weights are shares of areas, so it needs the corners of the cells.
bool needs_corners(Method method);
// The value of a target cell is that of some source cell, so that it may be a class.
bool picks(Method method);

}  // namespace tailrace::regrid
