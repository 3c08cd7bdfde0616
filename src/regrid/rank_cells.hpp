// The geometry of the source cells of one rank, as it sends it to its server.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "model/region.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::regrid {

struct RankCells {
  std::int32_t weights = 0;  // index into the plan's weights
  model::Runs numbers;       // horizontal cell numbers, in the order of the geometry
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
