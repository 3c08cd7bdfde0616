// In which direction a coordinate counts, by the words of CF (4).
#pragma once

#include "model/declarations.hpp"

namespace tailrace::plan {

bool is_latitude(const model::Coordinate& coordinate);   // by its units, or its standard_name
bool is_longitude(const model::Coordinate& coordinate);  // the same
bool is_vertical(const model::Coordinate& coordinate);

}  // namespace tailrace::plan
