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
  // The cells of a level that are missing, and by which others they are filled.
  struct Sources {
    std::vector<std::uint8_t> missing;                           // by cell; empty: not known yet
    std::vector<std::pair<std::uint32_t, std::uint32_t>> fills;  // a missing cell, and the one that fills it
  };
  template <class Value>
  std::int64_t fill_level(Value* level, Sources& sources);
  void find(Sources& sources) const;

  std::vector<Point> points_;                 // of the cells of one level
  std::vector<std::int64_t> cells_, levels_;  // distances of both from the begin of an array
  // Most often the same cells are missing in all records. By level, or one for all if there are too many.
  std::vector<Sources> sources_;
};

}  // namespace tailrace::input
