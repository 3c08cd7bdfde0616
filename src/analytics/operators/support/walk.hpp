// Iteration over a block whose dimensions are partly kept and partly consumed by a reduction.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/region.hpp"

namespace tailrace::analytics::operators {

// The contiguous stretches of a block, in C order. The trailing dimensions of the same kind, all kept or all
// consumed, make a stretch.
struct Stretches {
  // The length of a stretch. All its values are added to one kept cell, or value i to kept cell first + i.
  std::int64_t length = 0;
  bool into_one = false;
  struct Outer {
    std::int64_t count = 0;
    std::int64_t cell_step = 0;  // stride in kept cells; 0 for a consumed dimension
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

// `region` without the consumed dimensions.
model::Region kept_of(const model::Region& region, const std::vector<bool>& consumed);

// Global indices along one dimension, in local order.
std::vector<std::int64_t> indices_along(const model::Region& region, std::size_t dimension);

// The sums of steps[d][i] over the dimensions [from, to), for all their local indices i in C order.
std::vector<std::int64_t> summed(const std::vector<std::vector<std::int64_t>>& steps, std::size_t from,
                                 std::size_t to);

}  // namespace tailrace::analytics::operators
