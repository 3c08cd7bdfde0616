#include "model/region.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::model {
namespace {

// The stretches of one dimension that lie inside [begin, begin+count): local start and start relative to
// `begin`.
std::vector<Segment> clip(const Runs& runs, std::int64_t begin, std::int64_t count) {
  std::vector<Segment> stretches;
  std::int64_t local = 0;
  for (const Run& run : runs) {
    const std::int64_t first = std::max(run.start, begin);
    const std::int64_t last = std::min(run.start + run.count, begin + count);
    if (first < last) stretches.push_back({local + first - run.start, first - begin, last - first});
    local += run.count;
  }
  return stretches;
}

void append(std::vector<Segment>& segments, const Segment& next) {
  if (!segments.empty()) {
    Segment& last = segments.back();
    if (last.source + last.count == next.source && last.target + last.count == next.target) {
      last.count += next.count;
      return;
    }
  }
  segments.push_back(next);
}

struct Walk {
  const std::vector<std::vector<Segment>>& stretches;
  std::span<const std::int64_t> source_counts;
  std::span<const std::int64_t> target_counts;
  std::vector<Segment>& segments;

  void descend(std::size_t dimension, std::int64_t source, std::int64_t target) const {
    const std::int64_t from = source * source_counts[dimension];
    const std::int64_t to = target * target_counts[dimension];
    const bool innermost = dimension + 1 == stretches.size();
    for (const Segment& stretch : stretches[dimension]) {
      if (innermost) {
        append(segments, {from + stretch.source, to + stretch.target, stretch.count});
        continue;
      }
      for (std::int64_t i = 0; i < stretch.count; ++i)
        descend(dimension + 1, from + stretch.source + i, to + stretch.target + i);
    }
  }
};

}  // namespace

std::int64_t Box::size() const {
  std::int64_t cells = 1;
  for (const std::int64_t extent : count) cells *= extent;
  return cells;
}

Region::Region(std::vector<Runs> runs) : runs_(std::move(runs)) {
  counts_.reserve(runs_.size());
  for (const Runs& along : runs_) {
    std::int64_t count = 0;
    for (const Run& run : along) count += run.count;
    counts_.push_back(count);
  }
}

Region Region::of_box(const Box& box) {
  std::vector<Runs> runs;
  for (std::size_t d = 0; d < box.count.size(); ++d) runs.push_back({{box.offset[d], box.count[d]}});
  return Region(std::move(runs));
}

std::int64_t Region::size() const {
  std::int64_t cells = 1;
  for (const std::int64_t count : counts_) cells *= count;
  return cells;
}

Box Region::bounds() const {
  Box box;
  const bool empty = size() == 0;
  for (const Runs& along : runs_) {
    if (empty || along.empty()) {
      box.offset.push_back(0);
      box.count.push_back(0);
      continue;
    }
    std::int64_t first = along.front().start;
    std::int64_t last = first;
    for (const Run& run : along) {
      if (run.count == 0) continue;
      first = std::min(first, run.start);
      last = std::max(last, run.start + run.count);
    }
    box.offset.push_back(first);
    box.count.push_back(last - first);
  }
  return box;
}

Runs compress(std::span<const std::int64_t> indices) {
  Runs runs;
  for (const std::int64_t index : indices) {
    if (!runs.empty() && runs.back().start + runs.back().count == index)
      ++runs.back().count;
    else
      runs.push_back({index, 1});
  }
  return runs;
}

std::vector<Segment> intersect(const Region& region, const Box& box) {
  TAILRACE_ASSERT(region.rank() == box.count.size(), "region and box have different ranks");
  if (region.rank() == 0) return {{0, 0, 1}};
  std::vector<std::vector<Segment>> stretches;
  for (std::size_t d = 0; d < region.rank(); ++d) {
    stretches.push_back(clip(region.runs(d), box.offset[d], box.count[d]));
    if (stretches.back().empty()) return {};
  }
  std::vector<Segment> segments;
  Walk{stretches, region.counts(), box.count, segments}.descend(0, 0, 0);
  return segments;
}

std::int64_t cells_inside(const Region& region, const Box& box) {
  std::int64_t cells = 1;
  for (std::size_t d = 0; d < region.rank(); ++d) {
    std::int64_t along = 0;
    for (const Segment& stretch : clip(region.runs(d), box.offset[d], box.count[d])) along += stretch.count;
    cells *= along;
  }
  return cells;
}

}  // namespace tailrace::model
