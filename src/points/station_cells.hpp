// The cells of a grid from which values at stations are computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "points/plane.hpp"
#include "points/reduction.hpp"
#include "points/stations.hpp"

namespace tailrace::points {

inline constexpr const char* station_dim = "station";

// Points on one plane of a grid.
struct Search {
  Request request;
  const model::Grid* grid;
  Plane plane;
};
// The searches that the ranks do together in `ready`, since no rank has all coordinates, or since no rank
// holds some cells. They are in the same order on all ranks. Grids that share their coordinates share a
// search. For trajectories only the range of the coordinates is wanted. `declarations`: with marked holes.
std::vector<Search> searches(const std::vector<Request>& requests, const model::Declarations& declarations);
// As in FoundCells::fields. With holes, the number of the grid follows: where coordinates are the same on two
// grids, their holes may differ.
std::vector<std::int64_t> fields_of(const Search& search, const model::Declarations& declarations);

// The cells of each station. None, with a problem, if something is wrong. Before the ranks have searched, the
// cells are a guess: no model rank computes with the plan that it makes for itself.
std::optional<Points> cells_of(const Search& search, const model::Declarations& declarations,
                               config::Problems& problems);

}  // namespace tailrace::points
