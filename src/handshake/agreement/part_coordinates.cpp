#include "handshake/agreement/part_coordinates.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::handshake {
namespace {

bool is_in_parts(const model::Grid& grid, const model::Coordinate& coordinate) {
  return grid.kind == model::GridKind::block && coordinate.field && coordinate.dims.size() == 1;
}

// Puts a rank's values where its cells are.
void place(const model::Region& region, const std::vector<double>& part, std::vector<double>& whole) {
  TAILRACE_ASSERT(std::ssize(part) == region.size(), "a part of a coordinate has other cells than its rank");
  auto next = part.begin();
  for (const model::Run& run : region.runs(0)) {
    std::copy_n(next, run.count, whole.begin() + run.start);
    next += run.count;
  }
}

}  // namespace

CoordinateParts coordinate_parts(const client::Declarer& declarer) {
  CoordinateParts parts;
  for (const model::Grid& grid : declarer.declarations().grids)
    for (const model::Coordinate& coordinate : grid.coordinates) {
      if (!is_in_parts(grid, coordinate)) continue;
      std::vector<double>& part = parts.emplace_back();
      for (const client::StaticValues& given : declarer.statics()) {
        if (given.field != *coordinate.field) continue;
        part.resize(given.bytes.size() / sizeof(double));
        std::memcpy(part.data(), given.bytes.data(), part.size() * sizeof(double));
      }
    }
  return parts;
}

void join_parts(model::Declarations& declarations, const model::Decomposition& decomposition,
                const std::vector<CoordinateParts>& parts) {
  std::size_t number = 0;
  for (model::Grid& grid : declarations.grids)
    for (model::Coordinate& coordinate : grid.coordinates) {
      if (!is_in_parts(grid, coordinate)) continue;
      const auto at = static_cast<std::size_t>(
          declarations.fields[static_cast<std::size_t>(*coordinate.field)].grid);  // of the dim alone
      coordinate.values.resize(static_cast<std::size_t>(declarations.grids[at].size()));
      for (std::size_t rank = 0; rank < parts.size(); ++rank)
        if (const auto& part = parts[rank].at(number); !part.empty())
          place(decomposition.regions[at][rank], part, coordinate.values);
      ++number;
    }
}

}  // namespace tailrace::handshake
