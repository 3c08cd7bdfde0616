#include "input/regridding/cells_of_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

// Copies the numbers of a run of cells, `width` of each cell, to their places.
void place(const std::vector<double>& from, std::size_t at, const model::Run& run, std::size_t width,
           std::vector<double>& to) {
  const std::size_t first = base::index(run.start) * width, count = base::index(run.count) * width;
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(at * width), count,
              to.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

void CellsOfRanks::add(const regrid::RankCells& cells) {
  if (cells.numbers.empty()) return;
  const regrid::CellGeometry& from = cells.geometry;
  Cells& all = grids_[cells.grid];
  regrid::CellGeometry& to = all.geometry;
  const auto corners = base::index(from.corners);
  if (all.is_there.empty()) {
    const auto shape = regrid::horizontal_dims(declarations_, cells.grid, regrid::Method::nearest).shape;
    const auto count =
        base::index(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
    all.is_there.assign(count, false);
    to.lat.assign(count, std::numeric_limits<double>::quiet_NaN());
    to.lon = to.lat;
    to.corners = from.corners;
    to.lat_corners.assign(count * corners, std::numeric_limits<double>::quiet_NaN());
    to.lon_corners = to.lat_corners;
  }
  TAILRACE_ASSERT(to.corners == from.corners, "the cells of a grid have one number of corners");
  std::size_t at = 0;
  for (const model::Run& run : cells.numbers) {
    TAILRACE_ASSERT(run.start >= 0 && run.start + run.count <= std::ssize(all.is_there), "cells of the grid");
    std::fill_n(all.is_there.begin() + run.start, run.count, true);
    place(from.lat, at, run, 1, to.lat);
    place(from.lon, at, run, 1, to.lon);
    place(from.lat_corners, at, run, corners, to.lat_corners);
    place(from.lon_corners, at, run, corners, to.lon_corners);
    at += base::index(run.count);
  }
}

const regrid::CellGeometry& CellsOfRanks::of(int grid) const {
  TAILRACE_ASSERT(!is_released_, "weights are made before the run begins");
  const auto found = grids_.find(grid);
  const std::string& name = declarations_.grids[base::index(grid)].name;
  const auto refuse = [&](std::int64_t cell) {
    throw Error(ErrorCode::configuration,
                fmt::format("no rank has cell {} (counted from 0) of the grid {} of the model, whose "
                            "coordinates the ranks give in parts; expected all coordinates on each rank",
                            cell, name));
  };
  if (found == grids_.end()) refuse(0);
  const std::vector<bool>& is_there = found->second.is_there;
  if (const auto gap = std::ranges::find(is_there, false); gap != is_there.end())
    refuse(gap - is_there.begin());
  return found->second.geometry;
}

void CellsOfRanks::release() {
  grids_.clear();
  is_released_ = true;
}

std::size_t CellsOfRanks::bytes() const {
  std::size_t numbers = 0;
  for (const auto& [grid, cells] : grids_)
    numbers += 2 * (cells.geometry.lat.size() + cells.geometry.lat_corners.size());
  return numbers * sizeof(double);
}

}  // namespace tailrace::input
