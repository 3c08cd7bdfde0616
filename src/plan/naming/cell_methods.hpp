// The attribute cell_methods of a diagnostic: how reductions combined the cells of the model (CF 7.3).
#pragma once

#include <string>
#include <vector>

#include "analytics/graph.hpp"
#include "model/declarations.hpp"

namespace tailrace::plan {

// For example `area: mean height: maximum`. `grids` are those of the fields from which the diagnostic is
// computed. A reduced dimension is named by the standard name of its coordinate, and both horizontal ones
// together by `area`. Empty if one of them has no such name.
std::string cell_methods_of(const std::vector<analytics::Reduced>& reduced,
                            const std::vector<const model::Grid*>& grids);

// True if its standard name is that of a horizontal coordinate.
bool is_horizontal(const model::Coordinate& coordinate);

}  // namespace tailrace::plan
