// Finds the source cells that a server needs for its rows, and the parts of the decomposition that have them.
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
// positions in the packed array of these cells, not prepared.
struct Needs {
  model::Runs cells;
  std::int64_t count = 0;
  LocalRows rows;
};
Needs needs_of(const Rows& rows);

// Runs of ascending cell numbers, to be looked up many times: with the packed position of each. It does not
// own the runs. Made once for many parts: to make it takes time with the number of runs.
class PackedRuns {
 public:
  PackedRuns(std::span<const model::Run> runs);  // NOLINT(google-explicit-constructor): a view of runs
  PackedRuns(const model::Runs& runs);           // NOLINT(google-explicit-constructor): the same
  std::span<const model::Run> runs() const { return runs_; }
  std::int64_t position(std::size_t run) const { return positions_[run]; }  // of its first cell
  std::int64_t count() const { return positions_.back(); }
  std::size_t first_ending_after(
      std::int64_t cell) const;  // the first run with a cell >= `cell`; or runs().size()

 private:
  std::span<const model::Run> runs_;
  std::vector<std::int64_t> positions_;  // and the count
};

// The cells of a part that lie in `cells` (as runs of horizontal cell numbers, ascending): where each lies in
// the part's horizontal array, and where in the packed array. `part`: its horizontal region; `shape`: of the
// horizontal dims of the whole grid. Takes time with the rows of the part, not with all of `cells`.
std::vector<model::Segment> share_of_part(const model::Region& part, std::span<const std::int64_t> shape,
                                          const PackedRuns& cells);
bool has_some(const model::Region& part, std::span<const std::int64_t> shape, const PackedRuns& cells);

// The rows that part `part` of `parts` has of a target: consecutive cells, equal shares, aligned to `unit`
// cells (a row of a lat-lon grid; 4^k cells of HEALPix for k coarser levels). A pure function.
struct Share {
  std::int64_t first = 0, count = 0;
};
Share share_of(std::int64_t cells, std::int64_t unit, std::size_t part, std::size_t parts);

}  // namespace tailrace::regrid
