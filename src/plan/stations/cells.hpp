// Which cells of a grid make the values at stations.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analytics/points/points.hpp"
#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/stations/plane.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan::stations {

inline constexpr const char* station_dim = "station";

// What the ranks look for together (`ready`), since none has all coordinates: of which stations, on which
// plane. Of a file with trajectories only how far the plane reaches.
struct Search {
  const settings::OutputEntry* file;
  const model::Grid* grid;
  Plane plane;
};
// All of them, in the same order on all ranks; of grids that share their coordinates one.
std::vector<Search> searches(const settings::Configuration& configuration,
                             const model::Declarations& declarations);
std::vector<std::int64_t> fields_of(const Plane& plane);  // as FoundCells::fields

// None where something is wrong, which is added to `problems`. Where nobody has looked yet, the cells are a
// guess: no model rank computes with its own plan.
std::optional<analytics::points::Points> cells_of(const Search& search,
                                                  const model::Declarations& declarations,
                                                  config::Problems& problems);

}  // namespace tailrace::plan::stations
