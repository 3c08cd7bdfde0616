#include "model/holes.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::model {
namespace {

struct Range {
  std::int64_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};
using Ranges = std::vector<Range>;  // by dimension, from some dimension on

Range range_of(const Box& box, std::size_t d) { return {box.offset[d], box.offset[d] + box.count[d]}; }

class Complement {
 public:
  Complement(const std::vector<std::int64_t>& shape, const std::vector<Box>& boxes)
      : shape_(shape), boxes_(boxes) {}

  std::vector<Ranges> find() const {
    std::vector<const Box*> all;
    for (const Box& box : boxes_)
      if (box.size() > 0) all.push_back(&box);
    return outside(all, 0);
  }

 private:
  std::int64_t cells(const Box& box, std::size_t from) const {
    std::int64_t all = 1;
    for (std::size_t d = from; d < shape_.size(); ++d) all *= box.count[d];
    return all;
  }

  bool is_covered(const std::vector<const Box*>& boxes, std::size_t from) const {
    std::int64_t whole = 1, held = 0;
    for (std::size_t d = from; d < shape_.size(); ++d) whole *= shape_[d];
    for (const Box* box : boxes) held += cells(*box, from);
    return held == whole;
  }

  // In the dimensions from `d` on. Cuts along `d` where a box begins or ends; between two cuts the
  // cross-section is the same.
  std::vector<Ranges> outside(std::vector<const Box*> boxes, std::size_t d) const {
    if (d == shape_.size()) return boxes.empty() ? std::vector<Ranges>{{}} : std::vector<Ranges>{};
    std::ranges::sort(boxes, {}, [d](const Box* box) { return box->offset[d]; });
    std::vector<std::int64_t> cuts{0, shape_[d]};
    for (const Box* box : boxes) cuts.insert(cuts.end(), {range_of(*box, d).begin, range_of(*box, d).end});
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::vector<Ranges> found;
    std::vector<Ranges> before;  // of the slab before
    std::size_t same_from = 0;   // where its ranges begin in `found`
    std::vector<const Box*> active;
    auto next = boxes.begin();
    for (std::size_t cut = 0; cut + 1 < cuts.size(); ++cut) {
      std::erase_if(active, [&](const Box* box) { return range_of(*box, d).end <= cuts[cut]; });
      for (; next != boxes.end() && (*next)->offset[d] == cuts[cut]; ++next) active.push_back(*next);
      std::vector<Ranges> section;
      if (!is_covered(active, d + 1)) section = outside(active, d + 1);
      if (!section.empty() && section == before) {
        for (std::size_t at = same_from; at < found.size(); ++at) found[at].front().end = cuts[cut + 1];
        continue;
      }
      same_from = found.size();
      for (const Ranges& rest : section) {
        found.push_back({{cuts[cut], cuts[cut + 1]}});
        found.back().insert(found.back().end(), rest.begin(), rest.end());
      }
      before = std::move(section);
    }
    return found;
  }

  const std::vector<std::int64_t>& shape_;
  const std::vector<Box>& boxes_;
};

// Appends pieces of at most `most` cells, so that no server gets a block much larger than those of ranks.
void add_pieces(const Box& box, std::int64_t most, std::vector<Box>& pieces) {
  if (box.size() <= most) return pieces.push_back(box);
  const auto along = base::index(std::ranges::max_element(box.count) - box.count.begin());
  const std::int64_t extent = box.count[along], section = box.size() / extent;
  const std::int64_t length = std::max<std::int64_t>(1, most / section);
  for (std::int64_t begin = 0; begin < extent; begin += length) {
    Box piece = box;
    piece.offset[along] += begin;
    piece.count[along] = std::min(length, extent - begin);
    add_pieces(piece, most, pieces);
  }
}

// The holes of a grid in the dimensions that are split, each of them a part.
struct Pattern {
  std::vector<std::string> dims;
  std::vector<std::vector<Runs>> holes;  // by hole, by dimension
  std::vector<int> owners;               // ranks

  bool fits(const Pattern& other) const {
    return dims == other.dims && holes == other.holes && owners == other.owners;
  }
};

class Holes {
 public:
  Holes(const Grid& grid, const Regions& regions, const Decomposition& decomposition) : grid_(grid) {
    for (std::size_t part = 0; part < regions.size(); ++part) {
      if (regions[part].size() == 0) continue;
      held_.push_back(&regions[part]);
      holders_.push_back(decomposition.rank_of(static_cast<int>(part)));
    }
    std::ranges::sort(holders_);
    holders_.erase(std::unique(holders_.begin(), holders_.end()), holders_.end());
  }

  // A region without cells that is whole along the dimensions that are not split, so that they remain so.
  Region none() const {
    const std::vector<std::size_t> split = split_dims();
    std::vector<Runs> runs(grid_.dims.size());
    for (std::size_t d = 0; d < runs.size() && !split.empty(); ++d)
      if (std::ranges::count(split, d) == 0) runs[d] = {{0, grid_.shape[d]}};
    return Region(std::move(runs));
  }

  Pattern find() const {
    Pattern pattern;
    std::vector<std::int64_t> shape;
    const std::vector<std::size_t> places = split_dims();
    for (const std::size_t d : places) {
      pattern.dims.push_back(grid_.dims[d]);
      shape.push_back(grid_.shape[d]);
    }
    const auto boxes = boxes_along(places);
    std::int64_t most = 1;
    for (const Region* region : held_) most = std::max(most, cells_along(*region, places));
    std::vector<Box> pieces;
    for (const Box& hole : cells_outside(shape, boxes)) add_pieces(hole, most, pieces);
    if (shape.size() == 1)
      join(pieces, most, pattern.holes);
    else
      for (const Box& piece : pieces) {
        std::vector<Runs>& runs = pattern.holes.emplace_back();
        for (std::size_t d = 0; d < shape.size(); ++d) runs.push_back({{piece.offset[d], piece.count[d]}});
      }
    for (std::size_t hole = 0; hole < pattern.holes.size(); ++hole)
      pattern.owners.push_back(holders_[hole * holders_.size() / pattern.holes.size()]);
    return pattern;
  }

 private:
  std::vector<std::size_t> split_dims() const {
    std::vector<std::size_t> split;
    for (std::size_t d = 0; d < grid_.dims.size(); ++d) {
      const Runs whole{{0, grid_.shape[d]}};
      if (std::ranges::any_of(held_, [&](const Region* region) { return region->runs(d) != whole; }))
        split.push_back(d);
    }
    return split;
  }

  static std::int64_t cells_along(const Region& region, const std::vector<std::size_t>& places) {
    std::int64_t cells = 1;
    for (const std::size_t d : places) cells *= region.count(d);
    return cells;
  }

  // One for each combination of a region's runs.
  std::vector<Box> boxes_along(const std::vector<std::size_t>& places) const {
    std::vector<Box> boxes;
    for (const Region* region : held_) {
      std::vector<Box> of_region{{}};
      for (const std::size_t d : places) {
        std::vector<Box> longer;
        for (const Box& box : of_region)
          for (const Run& run : region->runs(d)) {
            longer.push_back(box);
            longer.back().offset.push_back(run.start);
            longer.back().count.push_back(run.count);
          }
        of_region = std::move(longer);
      }
      boxes.insert(boxes.end(), of_region.begin(), of_region.end());
    }
    return boxes;
  }

  // Along one dimension a part may have many runs; the cells of an indexed grid may be scattered.
  static void join(const std::vector<Box>& pieces, std::int64_t most, std::vector<std::vector<Runs>>& holes) {
    std::int64_t cells = most;
    for (const Box& piece : pieces) {
      if (cells + piece.size() > most) {
        holes.push_back({{}});
        cells = 0;
      }
      holes.back().front().push_back({piece.offset[0], piece.count[0]});
      cells += piece.size();
    }
  }

  const Grid& grid_;
  std::vector<const Region*> held_;
  std::vector<int> holders_;
};

// Whole along the dimensions that are not split.
Region region_of(const Grid& grid, const Pattern& pattern, std::size_t hole) {
  std::vector<Runs> runs;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const auto split = std::ranges::find(pattern.dims, grid.dims[d]);
    runs.push_back(split == pattern.dims.end()
                       ? Runs{{0, grid.shape[d]}}
                       : pattern.holes[hole][base::index(split - pattern.dims.begin())]);
  }
  return Region(std::move(runs));
}

// Further parts without cells get the region `none`.
Regions with_none(const Decomposition& decomposition, std::size_t grid, const Region& none) {
  Regions regions;
  const Regions& before = decomposition.regions[grid];
  for (std::size_t part = 0; part < before.size(); ++part)
    regions.push_back(part < decomposition.ranks() || before[part].size() > 0 ? before[part] : none);
  return regions;
}

}  // namespace

std::vector<Box> cells_outside(const std::vector<std::int64_t>& shape, const std::vector<Box>& boxes) {
  std::vector<Box> found;
  for (const Ranges& ranges : Complement(shape, boxes).find()) {
    Box& box = found.emplace_back();
    for (const Range& range : ranges) {
      box.offset.push_back(range.begin);
      box.count.push_back(range.end - range.begin);
    }
  }
  return found;
}

Decomposition with_holes(const Declarations& declarations, Decomposition decomposition) {
  struct Known {
    Pattern pattern;
    std::vector<std::size_t> grids;
  };
  std::vector<Known> patterns;
  for (std::size_t g = 0; g < declarations.grids.size(); ++g) {
    const Grid& grid = declarations.grids[g];
    if (!grid.holes_are_missing) continue;
    Pattern pattern = Holes(grid, decomposition.regions[g], decomposition).find();
    if (pattern.holes.empty()) continue;
    const auto known =
        std::ranges::find_if(patterns, [&](const Known& one) { return one.pattern.fits(pattern); });
    if (known == patterns.end())
      patterns.push_back({std::move(pattern), {g}});
    else
      known->grids.push_back(g);
  }
  std::vector<Region> none;
  if (patterns.empty() && decomposition.further.empty()) return decomposition;
  for (std::size_t g = 0; g < declarations.grids.size(); ++g)
    none.push_back(Holes(declarations.grids[g], decomposition.regions[g], decomposition).none());
  for (std::size_t g = 0; g < declarations.grids.size() && !decomposition.further.empty(); ++g)
    decomposition.regions[g] = with_none(decomposition, g, none[g]);
  for (const auto& [pattern, grids] : patterns) {
    for (std::size_t hole = 0; hole < pattern.holes.size(); ++hole) {
      decomposition.further.push_back({pattern.owners[hole], true});
      for (std::size_t g = 0; g < declarations.grids.size(); ++g)
        decomposition.regions[g].push_back(
            std::ranges::count(grids, g) == 0 ? none[g] : region_of(declarations.grids[g], pattern, hole));
    }
  }
  return decomposition;
}

}  // namespace tailrace::model
