// The cells of a grid on a rank of the component.
#pragma once

#include <cstdint>
#include <vector>

#include "scenario.hpp"

namespace player {

// The local part of a grid: for each dimension the global indices of the local cells, in the order of the
// local array.
struct Part {
  std::vector<std::vector<std::int64_t>> indices;  // one list a dimension
  std::vector<Part> further;                       // blocks besides this one

  // Both count this block alone.
  std::vector<std::int64_t> count() const;
  std::int64_t size() const;
  // Position in the global array (C order) of each local cell (C order), one block after the other.
  std::vector<std::int64_t> global_positions(const std::vector<std::int64_t>& shape) const;
};

// Divides a block grid into near-equal blocks (a process grid over the split dims), distributes the cells of
// an indexed grid in a scattered and, on odd ranks, descending order, and returns all of a replicated one.
// Faults of the decomposition (`overlap`, `hole`) are applied to the rank of the fault.
Part decompose(const Grid& grid, int rank, int ranks, const Fault& fault);

}  // namespace player
