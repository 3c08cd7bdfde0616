// Access to the cells of a block for kernels: by lists of indices, or as lines or slabs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators {

// A kernel without a state.
std::unique_ptr<KernelRun> run_of(std::function<Array(std::span<const ConstArray>)> compute);

// The stride of each dimension, in elements, in a block with these extents.
std::vector<std::int64_t> strides_of(std::span<const std::int64_t> counts);

// The values at all combinations of local indices, C order over the lists.
std::vector<double> pick(std::span<const double> values, std::span<const std::int64_t> counts,
                         const std::vector<std::vector<std::int64_t>>& indices);

// The region with one dimension replaced by a whole one of length `extent`, or removed.
model::Region replaced(const model::Region& region, std::size_t dimension,
                       std::optional<std::int64_t> extent);

// A view of a block as lines along one dimension: element i of line (o, n) is at (o * length + i) * inner +
// n.
struct Lines {
  std::size_t outer = 1;
  std::size_t length = 1;
  std::size_t inner = 1;
  Lines(const model::Region& region, std::size_t dimension);
  std::size_t at(std::size_t o, std::size_t i, std::size_t n) const { return (o * length + i) * inner + n; }
};

// A view of a block as one slab of the consumed dimensions for each kept cell: value c of slab k is at
// kept[k] + consumed[c], both in C order.
struct Slabs {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> consumed;
  std::vector<std::int64_t> extents;  // of the consumed dimensions
  Slabs(const model::Region& region, const std::vector<bool>& consumes);
  std::size_t at(std::size_t k, std::size_t c) const {
    return static_cast<std::size_t>(kept[k] + consumed[c]);
  }
};

// The kept dimensions of a region, followed by whole dimensions of these extents.
model::Region kept_and(const model::Region& region, const std::vector<bool>& consumed,
                       std::initializer_list<std::int64_t> extents);

// The names of the consumed dimensions that are split.
std::vector<std::string> split_consumed(const Call& call);

}  // namespace tailrace::analytics::operators
