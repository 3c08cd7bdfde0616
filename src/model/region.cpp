#include "model/region.hpp"

#include <algorithm>

namespace tailrace::model {
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
    size_ *= count;
  }
}

Region Region::of_box(const Box& box) {
  std::vector<Runs> runs;
  runs.reserve(box.count.size());
  for (std::size_t d = 0; d < box.count.size(); ++d) runs.push_back({{box.offset[d], box.count[d]}});
  return Region(std::move(runs));
}

void Region::assign_part(const Region& whole, std::span<const std::size_t> dimensions) {
  runs_.resize(dimensions.size());
  counts_.resize(dimensions.size());
  size_ = 1;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    runs_[d] = whole.runs_[dimensions[d]];
    counts_[d] = whole.counts_[dimensions[d]];
    size_ *= counts_[d];
  }
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

}  // namespace tailrace::model
