// The cells that a region and a box share, and the segments that copy them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "model/region.hpp"

namespace tailrace::model {

// It is stored by dimension, and segments are generated as they are used: a list of segments would be as long
// as the product of the dimensions, hundreds of times longer than the ranges along each dimension.
class Overlap {
 public:
  Overlap() = default;
  // The overlap of a local array (C order, laid out as `region`) and a dense C-order array of shape
  // `box.count`.
  Overlap(const Region& region, const Box& box);

  std::int64_t cells() const { return cells_; }
  std::size_t bytes() const;  // of memory

  // Calls `visit` with each segment, in the order of the local index.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (cells_ > 0) descend(0, 0, 0, visit);
  }

  // Calls `take` with spans of segments until it has passed all. Adjacent segments are merged.
  template <class Take>
  void in_parts(Take&& take) const {
    if (is_one_stretch()) {
      Segment only = stretches_.front();
      return take(std::span(&only, 1));
    }
    std::array<Segment, 64> part;
    std::size_t count = 0;
    for_each([&](const Segment& next) {
      part[count++] = next;
      if (count == part.size()) take(std::span(part.data(), std::exchange(count, 0)));
    });
    if (count > 0) take(std::span(part.data(), count));
  }

 private:
  // Neighbouring dimensions that are whole on both sides are merged into one.
  struct Dimension {
    std::size_t end = 0;  // of its ranges in `stretches_`
    std::int64_t source_extent = 1, target_extent = 1;
  };

  bool is_one_stretch() const { return dimensions_.size() == 1 && stretches_.size() == 1; }

  std::span<const Segment> stretches(std::size_t d) const {
    const std::size_t begin = d == 0 ? 0 : dimensions_[d - 1].end;
    return std::span(stretches_).subspan(begin, dimensions_[d].end - begin);
  }

  // `source`, `target`: the position so far, from the dimensions before.
  template <class Visit>
  void descend(std::size_t d, std::int64_t source, std::int64_t target, Visit&& visit) const {
    const Dimension along = dimensions_[d];
    source *= along.source_extent;
    target *= along.target_extent;
    if (d + 1 == dimensions_.size()) {
      for (const Segment& stretch : stretches(d))
        visit(Segment{source + stretch.source, target + stretch.target, stretch.count});
      return;
    }
    const auto inner = stretches(d + 1);
    const bool rows = d + 2 == dimensions_.size() && inner.size() == 1;
    for (const Segment& stretch : stretches(d)) {
      if (rows) {
        walk_rows(dimensions_[d + 1], inner.front(),
                  {source + stretch.source, target + stretch.target, stretch.count}, visit);
        continue;
      }
      for (std::int64_t i = 0; i < stretch.count; ++i)
        descend(d + 1, source + stretch.source + i, target + stretch.target + i, visit);
    }
  }

  // The last dimension: the inner loop.
  template <class Visit>
  static void walk_rows(const Dimension& along, const Segment& row, const Segment& rows, Visit&& visit) {
    std::int64_t source = rows.source * along.source_extent + row.source;
    std::int64_t target = rows.target * along.target_extent + row.target;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      visit(Segment{source, target, row.count});
      source += along.source_extent;
      target += along.target_extent;
    }
  }

  std::int64_t cells_ = 0;
  std::vector<Dimension> dimensions_;  // slowest first
  std::vector<Segment> stretches_;     // the ranges of all dimensions, one after the other
};

}  // namespace tailrace::model
