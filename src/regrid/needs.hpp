// Which source cells a server needs for its rows, and which parts of the decomposition have them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"
#include "model/regions.hpp"
#include "regrid/apply.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::regrid {

// The distinct source cells of some rows, ascending, as runs of consecutive numbers; and the rows with
// positions in the packed array of these cells.
struct Needs {
  model::Runs cells;
  std::int64_t count = 0;
  LocalRows rows;
};
Needs needs_of(const Rows& rows);

// The cells of a part that lie in `cells` (as runs of horizontal cell numbers, ascending): where each lies in
// the part's horizontal array, and where in the packed array. `part`: its horizontal region; `shape`: of the
// horizontal dims of the whole grid.
std::vector<model::Segment> share_of_part(const model::Region& part, std::span<const std::int64_t> shape,
                                          const model::Runs& cells);

// The rows that part `part` of `parts` has of a target: consecutive cells, equal shares, aligned to `unit`
// cells (a row of a lat-lon grid; 4^k cells of HEALPix for k coarser levels). A pure function.
struct Share {
  std::int64_t first = 0, count = 0;
};
Share share_of(std::int64_t cells, std::int64_t unit, std::size_t part, std::size_t parts);

}  // namespace tailrace::regrid
