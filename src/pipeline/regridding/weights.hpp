// The weights of a plan as far as one server needs them, before the first step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/region.hpp"
#include "regrid/apply.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::pipeline::regridding {

// The rows of the target cells of one part, in the order of the part's horizontal cells. Their sources are
// positions in the packed array of the server's source cells (Weights::cells).
struct PartRows {
  int part = 0;
  regrid::LocalRows rows;
  std::vector<double> lat = {},
                      lon = {};  // centres of the target cells in degrees; empty unless vectors are regridded
};

// Source cells that a server needs, as ascending runs of horizontal cell numbers.
struct WantedCells {
  int server = 0;
  model::Runs cells;
};

// The part of one WeightsPlan.
struct Weights {
  model::Runs cells;                // the source cells that this server needs
  std::int64_t count = 0;           // how many
  std::vector<PartRows> parts;      // of this server that have target cells, ascending
  std::vector<WantedCells> wanted;  // by each server that may need cells of this one, itself among them
  std::size_t bytes() const;
};

// Values of a coordinate of a target on one part (plan::TargetCoordinate).
struct CoordinateBlock {
  int field = -1;
  int part = 0;
  std::vector<std::byte> values;
};

struct Prepared {
  std::vector<Weights> weights;  // as plan::Regridding::weights
  std::vector<CoordinateBlock> coordinates;
};

// `parts`: those of this server with the rows of their target cells, ascending. `wanted` is left empty.
Weights weights_of(const std::vector<std::pair<int, regrid::Rows>>& parts);

}  // namespace tailrace::pipeline::regridding
