// Finds the dim of a grid that has other levels in the records of an input field, since they are
// interpolated.
#pragma once

#include <string>

#include "model/declarations.hpp"

namespace tailrace::input {

// `to`: VerticalRequest::to. The dim of the coordinate of that name, if it has one dim; otherwise the only
// dim with a vertical coordinate (matching.hpp), or the only one with no coordinate of another kind. Throws
// Error(configuration), without the name of the field, that names the grid if there is none or several.
int levels_dim(const model::Grid& grid, const std::string& to);

}  // namespace tailrace::input
