#include "client/input/grid_cells.hpp"

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::client {
namespace {

std::int64_t global_index(const model::Runs& runs, std::int64_t local) {
  for (const model::Run& run : runs) {
    if (local < run.count) return run.start + local;
    local -= run.count;
  }
  base::assertion_failed("local", __FILE__, __LINE__, "a cell is beyond its region");
}

}  // namespace

std::vector<std::int64_t> global_indices(std::span<const model::Region> regions, std::int64_t cell) {
  for (const model::Region& region : regions) {
    if (cell >= region.size()) {
      cell -= region.size();
      continue;
    }
    std::vector<std::int64_t> indices(region.rank());
    for (std::size_t d = region.rank(); d-- > 0; cell /= region.count(d))
      indices[d] = global_index(region.runs(d), cell % region.count(d));
    return indices;
  }
  base::assertion_failed("cell", __FILE__, __LINE__, "a cell is beyond the regions of its rank");
}

}  // namespace tailrace::client
