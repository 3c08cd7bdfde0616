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

// Kept by dimension: a list of segments would be as long as the product of the dimensions, hundreds of times
// the length of a list of ranges that repeats on each level. Segments are made as they are used.
class Overlap {
 public:
  Overlap() = default;
  // Of a local array (C order, laid out as `region`) with a dense C-order array of shape `box.count`.
  Overlap(const Region& region, const Box& box);

  std::int64_t cells() const { return cells_; }
  std::size_t bytes() const;  // of memory

  // Calls `visit` with each segment, in the order of the local index.
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (cells_ > 0) descend(0, 0, 0, visit);
  }

  // Calls `take` with spans of segments until all were in one. Where nothing lies between two segments they
  // are one.
  template <class Take>
  void in_parts(Take&& take) const {
    if (is_one_stretch()) {
      Segment only = stretches_.front();
      return take(std::span(&only, 1));
    }
    std::array<Segment, 64> part;
    std::size_t count = 0;
    for_each([&](const Segment& next) {
      if (count > 0 && part[count - 1].joins(next)) {
        part[count - 1].count += next.count;
        return;
      }
      if (count == part.size()) take(std::span(part.data(), std::exchange(count, 0)));
      part[count++] = next;
    });
    if (count > 0) take(std::span(part.data(), count));
  }

 private:
  // Neighbouring dimensions that are whole on both sides are one.
  struct Dimension {
    std::size_t end = 0;  // of its stretches
    std::int64_t source_extent = 1, target_extent = 1;
  };

  bool is_one_stretch() const { return dimensions_.size() == 1 && stretches_.size() == 1; }

  template <class Visit>
  void descend(std::size_t d, std::int64_t source, std::int64_t target, Visit&& visit) const {
    const std::int64_t from = source * dimensions_[d].source_extent;
    const std::int64_t to = target * dimensions_[d].target_extent;
    const bool innermost = d + 1 == dimensions_.size();
    for (std::size_t s = d == 0 ? 0 : dimensions_[d - 1].end; s < dimensions_[d].end; ++s) {
      const Segment& stretch = stretches_[s];
      if (innermost)
        visit(Segment{from + stretch.source, to + stretch.target, stretch.count});
      else
        for (std::int64_t i = 0; i < stretch.count; ++i)
          descend(d + 1, from + stretch.source + i, to + stretch.target + i, visit);
    }
  }

  std::int64_t cells_ = 0;
  std::vector<Dimension> dimensions_;  // slowest first
  std::vector<Segment> stretches_;     // of all dimensions, one behind the other
};

}  // namespace tailrace::model
