// The dims of a model's grid, with what their coordinates say about them.
#pragma once

#include <string>
#include <vector>

#include "input/matching.hpp"
#include "model/declarations.hpp"

namespace tailrace::input {

// Coordinates of latitude and longitude are converted to degrees; others are in `units`.
struct AxisDim : Dim {
  std::string units;
};

std::vector<AxisDim> dims_of(const model::Grid& grid);

// The dim of the grid along which levels are interpolated to `to`, a coordinate of the grid or a field on it.
// Throws Error(configuration) if there is none, or more than one.
std::size_t vertical_dim_of(const model::Grid& grid, const std::string& to);

// In degrees. Left as they are if the units are unknown, or none of an angle.
std::vector<double> in_degrees(std::vector<double> values, const std::string& units);

}  // namespace tailrace::input
