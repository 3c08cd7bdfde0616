// The places of cells of the model that only its ranks know, brought together on a server that regrids input
// to their grids.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/declarations.hpp"
#include "regrid/rank_cells.hpp"

namespace tailrace::input {

// One thread at a time until all cells are added; then any.
class CellsOfRanks {
 public:
  // The declarations must live longer.
  explicit CellsOfRanks(const model::Declarations& declarations) : declarations_(declarations) {}

  // Throws Error(internal) for numbers that the grid does not have.
  void add(const regrid::RankCells& cells);
  // All cells of a grid in the order of their numbers: C order over its horizontal dims. Throws
  // Error(configuration) that names the grid if no rank has one of its cells.
  const regrid::CellGeometry& of(int grid) const;
  // Gives their memory back once all weights are there, which may be more than a gigabyte. No call of of()
  // may follow.
  void release();
  std::size_t bytes() const;

 private:
  struct Cells {
    regrid::CellGeometry geometry;
    std::vector<bool> is_there;
  };
  const model::Declarations& declarations_;
  std::map<int, Cells> grids_;
  bool is_released_ = false;
};

}  // namespace tailrace::input
