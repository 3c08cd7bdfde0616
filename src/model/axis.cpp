#include "model/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "model/directions.hpp"

namespace tailrace::model {
namespace {

constexpr double circle = 360.0;
constexpr double pole = 90.0 * (1.0 + 1e-6);  // float32 may round up

bool is_in_degrees(const Coordinate& coordinate) { return coordinate.units.starts_with("degree"); }

}  // namespace

bool is_axis(const Coordinate& coordinate) {
  return coordinate.dims.size() == 1 && coordinate.dims.front() == coordinate.name;
}

std::optional<std::string> axis_complaint(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) return fmt::format("it is {} at index {}", values[i], i);
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] == values[i - 1])
      return fmt::format("it is {} at index {} and again at index {}", values[i], i - 1, i);
    if ((values[i] > values[i - 1]) != (values[1] > values[0]))
      return fmt::format("it {} to {} at index {}, then {} to {}",
                         values[1] > values[0] ? "increases" : "decreases", values[i - 1], i - 1,
                         values[1] > values[0] ? "decreases" : "increases", values[i]);
  }
  return std::nullopt;
}

std::optional<std::vector<double>> unrolled(std::span<const double> longitudes) {
  std::vector<double> values(longitudes.begin(), longitudes.end());
  for (std::size_t i = 1; i < values.size(); ++i)
    values[i] = values[i - 1] + std::remainder(longitudes[i] - values[i - 1], circle);
  if (axis_complaint(values) || (!values.empty() && std::abs(values.back() - values.front()) > circle))
    return std::nullopt;
  return values;
}

void OddValues::add(const OddValues& other) {
  if (infinite + beyond_poles == 0) example = other.example;
  missing += other.missing;
  infinite += other.infinite;
  beyond_poles += other.beyond_poles;
}

OddValues odd_values(const Coordinate& coordinate, std::span<const double> values) {
  const bool has_poles = is_latitude(coordinate) && is_in_degrees(coordinate);
  OddValues odd;
  for (const double value : values) {
    if (std::isnan(value))
      ++odd.missing;
    else if (std::isinf(value))
      odd.add({.infinite = 1, .example = value});
    else if (has_poles && std::abs(value) > pole)
      odd.add({.beyond_poles = 1, .example = value});
  }
  return odd;
}

}  // namespace tailrace::model
