#include "input/levels_dim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/matching.hpp"

namespace tailrace::input {
namespace {

DimKind kind_of_coordinate(const model::Coordinate& coordinate) {
  const auto text = [&](const char* name) { return model::text_of(coordinate.attributes, name); };
  return input::kind_of(coordinate.units, coordinate.standard_name, text("axis"), text("positive"));
}

// The kinds of the coordinates with this dim alone.
std::set<DimKind> kinds_of(const model::Grid& grid, const std::string& dim) {
  std::set<DimKind> kinds;
  for (const model::Coordinate& coordinate : grid.coordinates)
    if (coordinate.dims == std::vector<std::string>{dim}) kinds.insert(kind_of_coordinate(coordinate));
  return kinds;
}

}  // namespace

int levels_dim(const model::Grid& grid, const std::string& to) {
  std::vector<int> vertical, unknown;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const auto named = std::ranges::find(grid.coordinates, to, &model::Coordinate::name);
    if (named != grid.coordinates.end() && named->dims == std::vector<std::string>{grid.dims[d]})
      return static_cast<int>(d);
    std::set<DimKind> kinds = kinds_of(grid, grid.dims[d]);
    if (kinds.contains(DimKind::vertical)) vertical.push_back(static_cast<int>(d));
    kinds.erase(DimKind::other);
    if (kinds.empty() && grid.dims[d] != grid.indexed_dim) unknown.push_back(static_cast<int>(d));
  }
  if (vertical.size() == 1) return vertical.front();
  if (vertical.empty() && unknown.size() == 1) return unknown.front();
  throw Error(ErrorCode::configuration,
              fmt::format("expected a grid with one vertical dim, but of the dims of \"{}\" ({}) {} are "
                          "vertical; give a coordinate of the levels as `to`, or its units, axis or positive",
                          grid.name, fmt::join(grid.dims, ", "), vertical.size()));
}

}  // namespace tailrace::input
