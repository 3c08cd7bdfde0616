// Fills missing values from the nearest cell that has one (`missing: nearest`).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::input {

// Cells of one level have a position: on the unit sphere if the grid's coordinates of latitude and longitude
// are known, otherwise at their indices along the dims. If several are at the same distance, the first in C
// order fills. One thread at a time.
class NearestFill {
 public:
  // `shape`: of the arrays to fill, over the dims of the grid. `vertical`: the dim of the levels, or -1 for
  // that of its coordinates.
  NearestFill(const model::Grid& grid, std::vector<std::int64_t> shape, int vertical);

  // Missing values are NaN; a level without any value stays missing. Returns how many values still are.
  template <class Value>
  std::int64_t fill(std::span<Value> values);

 private:
  using Point = std::array<double, 3>;
  template <class Value>
  std::int64_t fill_level(Value* level);
  void find_sources();

  std::vector<Point> points_;                 // of the cells of one level
  std::vector<std::int64_t> cells_, levels_;  // distances of both from the begin of an array
  std::vector<std::uint8_t> missing_;         // of the level that was filled last
  std::vector<std::pair<std::size_t, std::size_t>>
      sources_;  // of its missing cells: the cell, and what fills it
};

}  // namespace tailrace::input
