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

// In degrees. Left as they are if the units are unknown, or none of an angle.
std::vector<double> in_degrees(std::vector<double> values, const std::string& units);

}  // namespace tailrace::input
