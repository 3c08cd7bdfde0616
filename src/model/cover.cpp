// check_cover: every cell of a grid belongs to exactly one rank, or to at most one where holes are missing.
// It sweeps over the ranks' boxes (one for each block, one for each run of an indexed grid), never over
// cells, so it costs as much as sorting the boxes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "model/declarations.hpp"

namespace tailrace::model {
namespace {

struct Range {
  std::int64_t begin = 0, end = 0;
};

// The boxes of all ranks in a flat table: ranges[box * dims + d].
struct Boxes {
  std::size_t dims = 0;
  std::vector<Range> ranges;
  std::vector<int> owners;

  std::size_t size() const { return owners.size(); }
  const Range& range(std::size_t box, std::size_t d) const { return ranges[box * dims + d]; }
  std::int64_t volume(std::size_t box, std::size_t from_dim) const {
    std::int64_t cells = 1;
    for (std::size_t d = from_dim; d < dims; ++d) cells *= range(box, d).end - range(box, d).begin;
    return cells;
  }
};

std::string describe(const Grid& grid, std::span<const Range> cells) {
  std::vector<std::string> parts;
  for (std::size_t d = 0; d < cells.size(); ++d) {
    const auto [begin, end] = cells[d];
    parts.push_back(end - begin == 1 ? fmt::format("{}={}", grid.dims[d], begin)
                                     : fmt::format("{}={}..{}", grid.dims[d], begin, end - 1));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

[[noreturn]] void fail(const Grid& grid, const std::string& what, const std::string& remedy = "") {
  throw Error(ErrorCode::usage,
              fmt::format("grid \"{}\" ({}: {}): {} (indices count from 0){}", grid.name,
                          fmt::join(grid.dims, ", "), fmt::join(grid.shape, " x "), what, remedy));
}

void check_inside(const Grid& grid, int rank, const Region& region) {
  if (region.rank() != grid.dims.size())
    fail(grid, fmt::format("rank {} gave a block with {} dimensions", rank, region.rank()));
  for (std::size_t d = 0; d < region.rank(); ++d) {
    for (const Run& run : region.runs(d)) {
      if (run.count < 0) fail(grid, fmt::format("rank {} gave {} {} cells", rank, grid.dims[d], run.count));
      if (run.count > 0 && (run.start < 0 || run.start + run.count > grid.shape[d]))
        fail(grid, fmt::format("rank {} holds {}={}..{}, which lies outside 0..{}", rank, grid.dims[d],
                               run.start, run.start + run.count - 1, grid.shape[d] - 1));
    }
  }
}

std::size_t count_boxes(const Regions& regions) {
  std::size_t all = 0;
  for (std::size_t rank = 0; rank < regions.size(); ++rank) {
    std::size_t boxes = 1;
    for (std::size_t d = 0; d < regions[rank].rank(); ++d) boxes *= regions[rank].runs(d).size();
    all += boxes;
  }
  return all;
}

// Adds a box for each combination of the region's runs, dimension by dimension.
void add_boxes(Boxes& boxes, int rank, const Region& region, std::vector<Range>& so_far) {
  const std::size_t d = so_far.size();
  if (d == region.rank()) {
    boxes.ranges.insert(boxes.ranges.end(), so_far.begin(), so_far.end());
    boxes.owners.push_back(rank);
    return;
  }
  for (const Run& run : region.runs(d)) {
    if (run.count == 0) continue;
    so_far.push_back({run.start, run.start + run.count});
    add_boxes(boxes, rank, region, so_far);
    so_far.pop_back();
  }
}

// The dimension along which there are most cuts: a sweep along it has the fewest active boxes at a time.
std::size_t sweep_dimension(const Boxes& boxes) {
  std::size_t best = 0, most = 0;
  for (std::size_t d = 0; d < boxes.dims; ++d) {
    std::vector<std::int64_t> starts;
    starts.reserve(boxes.size());
    for (std::size_t box = 0; box < boxes.size(); ++box) starts.push_back(boxes.range(box, d).begin);
    std::sort(starts.begin(), starts.end());
    const auto distinct =
        static_cast<std::size_t>(std::unique(starts.begin(), starts.end()) - starts.begin());
    if (distinct > most) {
      most = distinct;
      best = d;
    }
  }
  return best;
}

std::vector<Range> common(const Boxes& boxes, std::size_t a, std::size_t b) {
  std::vector<Range> cells;
  for (std::size_t d = 0; d < boxes.dims; ++d) {
    const Range shared{std::max(boxes.range(a, d).begin, boxes.range(b, d).begin),
                       std::min(boxes.range(a, d).end, boxes.range(b, d).end)};
    if (shared.begin >= shared.end) return {};
    cells.push_back(shared);
  }
  return cells;
}

void check_overlaps(const Grid& grid, const Boxes& boxes) {
  const std::size_t along = sweep_dimension(boxes);
  std::vector<std::size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return boxes.range(a, along).begin < boxes.range(b, along).begin;
  });
  std::vector<std::size_t> active;
  for (const std::size_t box : order) {
    std::erase_if(active, [&](std::size_t old) {
      return boxes.range(old, along).end <= boxes.range(box, along).begin;
    });
    for (const std::size_t old : active) {
      const std::vector<Range> cells = common(boxes, old, box);
      if (cells.empty()) continue;
      const auto [first, second] = std::minmax(boxes.owners[old], boxes.owners[box]);
      fail(grid, first == second
                     ? fmt::format("rank {} holds {} twice", first, describe(grid, cells))
                     : fmt::format("ranks {} and {} both hold {}", first, second, describe(grid, cells)));
    }
    active.push_back(box);
  }
}

// The first range along dimension `d` whose cross-section is not full, found from where boxes begin and end.
// `chosen`: the boxes that cover the ranges already fixed in the dimensions before. REQUIRES: the boxes do
// not overlap.
Range first_hole(const Grid& grid, const Boxes& boxes, const std::vector<std::size_t>& chosen,
                 std::size_t d) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes{{0, 0}, {grid.shape[d], 0}};
  for (const std::size_t box : chosen) {
    const std::int64_t section = boxes.volume(box, d + 1);
    changes.emplace_back(boxes.range(box, d).begin, section);
    changes.emplace_back(boxes.range(box, d).end, -section);
  }
  std::sort(changes.begin(), changes.end());
  std::int64_t full = 1;
  for (std::size_t k = d + 1; k < boxes.dims; ++k) full *= grid.shape[k];
  std::int64_t held = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    held += changes[i].second;
    if (held < full && changes[i].first < changes[i + 1].first)
      return {changes[i].first, changes[i + 1].first};
  }
  base::assertion_failed("hole", __FILE__, __LINE__, "cells are missing but no hole was found");
}

// Why cells may lack a holder, and what then helps.
std::string remedy(const Grid& grid) {
  if (grid.mesh || grid.place) return "";
  return fmt::format(
      "; if the model leaves them out, as land processors, write `grids: {{{}: {{holes: missing}}}}`",
      grid.name);
}

[[noreturn]] void report_missing(const Grid& grid, const Boxes& boxes, std::int64_t missing) {
  std::vector<std::size_t> chosen(boxes.size());
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<Range> hole;
  for (std::size_t d = 0; d < boxes.dims; ++d) {
    hole.push_back(first_hole(grid, boxes, chosen, d));
    std::erase_if(chosen, [&](std::size_t box) {
      return boxes.range(box, d).begin > hole.back().begin || boxes.range(box, d).end < hole.back().end;
    });
  }
  fail(grid, fmt::format("no rank holds {} ({} cells are missing in all)", describe(grid, hole), missing),
       remedy(grid));
}

void check_grid(const Grid& grid, const Decomposition& decomposition, const Regions& regions) {
  Boxes boxes{.dims = grid.dims.size(), .ranges = {}, .owners = {}};
  const std::size_t count = count_boxes(regions);
  boxes.ranges.reserve(count * boxes.dims);
  boxes.owners.reserve(count);
  for (std::size_t part = 0; part < regions.size(); ++part) {
    const int owner = decomposition.rank_of(static_cast<int>(part));
    check_inside(grid, owner, regions[part]);
    std::vector<Range> none;
    add_boxes(boxes, owner, regions[part], none);
  }
  check_overlaps(grid, boxes);
  std::int64_t held = 0;
  for (std::size_t box = 0; box < boxes.size(); ++box) held += boxes.volume(box, 0);
  if (held < grid.size() && (held == 0 || !grid.holes_are_missing))
    report_missing(grid, boxes, grid.size() - held);
}

}  // namespace

void check_cover(const Declarations& declarations, const Decomposition& decomposition) {
  TAILRACE_ASSERT(decomposition.regions.size() == declarations.grids.size(),
                  "each grid needs a decomposition");
  for (std::size_t g = 0; g < declarations.grids.size(); ++g) {
    const Grid& grid = declarations.grids[g];
    const bool split = grid.kind == GridKind::block || grid.kind == GridKind::indexed;
    if (split && !grid.dims.empty()) check_grid(grid, decomposition, decomposition.regions[g]);
  }
}

}  // namespace tailrace::model
