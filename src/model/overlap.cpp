#include "model/overlap.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::model {
namespace {

// The overlap along one dimension, or along several that are merged into one.
struct Along {
  std::vector<Segment> stretches;
  std::int64_t source_extent = 1, target_extent = 1;

  bool whole() const {
    return stretches.size() == 1 && stretches[0].count == source_extent &&
           stretches[0].count == target_extent;
  }
};

// The ranges of one dimension inside [begin, begin+count): local start, and start relative to `begin`.
std::vector<Segment> clip(const Runs& runs, std::int64_t begin, std::int64_t count) {
  std::vector<Segment> stretches;
  std::int64_t local = 0;
  for (const Run& run : runs) {
    const std::int64_t first = std::max(run.start, begin);
    const std::int64_t last = std::min(run.start + run.count, begin + count);
    if (first < last) {
      const Segment next{local + first - run.start, first - begin, last - first};
      if (!stretches.empty() && stretches.back().joins(next))
        stretches.back().count += next.count;
      else
        stretches.push_back(next);
    }
    local += run.count;
  }
  return stretches;
}

// Merges the inner dimension into the outer one, if the inner one is whole on both sides.
void take_in(Along& outer, const Along& inner) {
  for (Segment& stretch : outer.stretches) {
    stretch.source *= inner.source_extent;
    stretch.target *= inner.target_extent;
    stretch.count *= inner.source_extent;
  }
  outer.source_extent *= inner.source_extent;
  outer.target_extent *= inner.target_extent;
}

}  // namespace

Overlap::Overlap(const Region& region, const Box& box) {
  TAILRACE_ASSERT(region.rank() == box.count.size(), "region and box have different ranks");
  std::vector<Along> dimensions;  // fastest first
  cells_ = 1;
  for (std::size_t d = region.rank(); d-- > 0;) {
    Along next{clip(region.runs(d), box.offset[d], box.count[d]), region.count(d), box.count[d]};
    std::int64_t shared = 0;
    for (const Segment& stretch : next.stretches) shared += stretch.count;
    cells_ *= shared;
    if (cells_ == 0) return;
    if (!dimensions.empty() && dimensions.back().whole()) {
      take_in(next, dimensions.back());
      dimensions.pop_back();
    }
    dimensions.push_back(std::move(next));
  }
  if (dimensions.empty()) dimensions.push_back({.stretches = {{0, 0, 1}}});  // a number
  std::size_t stretches = 0;
  for (const Along& along : dimensions) stretches += along.stretches.size();
  stretches_.reserve(stretches);
  dimensions_.reserve(dimensions.size());
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    const Along& along = dimensions[d];
    stretches_.insert(stretches_.end(), along.stretches.begin(), along.stretches.end());
    dimensions_.push_back({stretches_.size(), along.source_extent, along.target_extent});
  }
}

std::size_t Overlap::bytes() const {
  return dimensions_.capacity() * sizeof(Dimension) + stretches_.capacity() * sizeof(Segment);
}

std::vector<Segment> intersect(const Region& region, const Box& box) {
  std::vector<Segment> segments;
  Overlap(region, box).in_parts([&](std::span<const Segment> part) {
    for (const Segment& next : part)
      if (!segments.empty() && segments.back().joins(next))
        segments.back().count += next.count;
      else
        segments.push_back(next);
  });
  return segments;
}

std::int64_t cells_inside(const Region& region, const Box& box) { return Overlap(region, box).cells(); }

}  // namespace tailrace::model
