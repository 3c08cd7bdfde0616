// What the reductions of a diagnostic did to the cells of the model, in the words of CF.
#pragma once

#include <string>
#include <vector>

#include "analytics/graph.hpp"
#include "model/declarations.hpp"

namespace tailrace::plan {

// `area: mean height: maximum`, for the attribute cell_methods; `grids` are those of what the diagnostic is
// computed from. A dimension that is gone is told by the standard name of its coordinate, and both horizontal
// ones together by `area` (CF 7.3); empty where one of them has no such name.
std::string cell_methods_of(const std::vector<analytics::Reduced>& reduced,
                            const std::vector<const model::Grid*>& grids);

// Whether it says, by its standard name, where cells lie in the horizontal plane.
bool is_horizontal(const model::Coordinate& coordinate);

}  // namespace tailrace::plan
