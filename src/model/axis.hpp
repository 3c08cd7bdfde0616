// The rules of CF for the values of coordinates (CF 1.2, 2.5.1, 4.1).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::model {

// Whether it has the name of its only dim, so that it would be a coordinate variable.
bool is_axis(const Coordinate& coordinate);

// Why the values cannot be those of a coordinate variable, which increases or decreases strictly and has no
// missing values, if so: "it is nan at index 1".
std::optional<std::string> axis_complaint(std::span<const double> values);

// Longitudes without their jumps by 360 degrees, if the values then increase or decrease strictly over at
// most 360 degrees: 180, 240, 300, 0, 60 become 180, 240, 300, 360, 420.
std::optional<std::vector<double>> unrolled(std::span<const double> longitudes);

OddValues odd_values(const Coordinate& coordinate, std::span<const double> values);

}  // namespace tailrace::model
