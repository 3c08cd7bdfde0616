// The geometry of a rank's cells, which it sends to its server if only the ranks know the cells of a grid
// that is regridded, or to which input is regridded.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "model/region.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::regrid {

struct RankCells {
  std::int32_t weights = -1;  // index into the plan's weights, whose source they are; -1: see `grid`
  std::int32_t grid = -1;     // index of a grid to which input is regridded; -1: see `weights`
  model::Runs numbers;        // horizontal cell numbers, in the order of the geometry
  CellGeometry geometry;
};

void put_rank_cells(base::ByteWriter& writer, const std::vector<RankCells>& cells);
// Throws Error(internal) for bytes that are none.
std::vector<RankCells> get_rank_cells(base::ByteReader& reader);

// A digest of a set of cells that does not depend on how ranks share them: the sum of this over them all.
struct CellDigest {
  std::uint64_t first = 0, second = 0;
  void add(const CellDigest& other) {
    first += other.first;
    second += other.second;
  }
};
CellDigest digest_of(const RankCells& cells);

}  // namespace tailrace::regrid
