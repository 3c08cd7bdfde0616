// The direction of a coordinate, recognised by its units and names (CF 4).
#pragma once

#include "model/declarations.hpp"

namespace tailrace::model {

bool is_latitude(const Coordinate& coordinate);   // by its units, or its standard_name
bool is_longitude(const Coordinate& coordinate);  // the same
bool is_vertical(const Coordinate& coordinate);

}  // namespace tailrace::model
