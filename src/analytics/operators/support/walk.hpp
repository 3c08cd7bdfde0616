// The way through a block whose dimensions are partly kept, partly consumed by a reduction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"

namespace tailrace::analytics::operators {

// The stretches of a block, in C order: the trailing dimensions of one kind make a stretch.
struct Stretches {
  // Rows of this many values; each goes into one kept cell, or value i into kept cell first + i.
  std::int64_t length = 0;
  bool into_one = false;
  struct Outer {
    std::int64_t count = 0;
    std::int64_t cell_step = 0;  // kept cells from one index to the next; 0 for a consumed dimension
  };
  std::vector<Outer> outer;  // slowest first

  Stretches(std::span<const std::int64_t> counts, const std::vector<bool>& consumed);

  // visit(offset of the first value in the block, kept cell)
  template <class Visit>
  void for_each(Visit&& visit) const {
    if (length == 0) return;
    std::vector<std::int64_t> index(outer.size(), 0);
    std::int64_t cell = 0;
    for (std::int64_t offset = 0;; offset += length) {
      visit(static_cast<std::size_t>(offset), static_cast<std::size_t>(cell));
      std::size_t d = outer.size();
      while (d > 0 && ++index[d - 1] == outer[d - 1].count) {
        cell -= (outer[d - 1].count - 1) * outer[d - 1].cell_step;
        index[--d] = 0;
      }
      if (d == 0) return;
      cell += outer[d - 1].cell_step;
    }
  }
};

// What is left of `region` (or of extents) without the dimensions that are consumed.
model::Region kept_of(const model::Region& region, const std::vector<bool>& consumed);

// Global indices along one dimension, in local order.
std::vector<std::int64_t> indices_along(const model::Region& region, std::size_t dimension);

// The sums of steps[d][i] over the dimensions [from, to), for all their local indices i in C order.
std::vector<std::int64_t> summed(const std::vector<std::vector<std::int64_t>>& steps, std::size_t from,
                                 std::size_t to);

}  // namespace tailrace::analytics::operators
