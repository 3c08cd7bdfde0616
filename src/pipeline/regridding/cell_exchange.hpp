// The horizontal cells of a source grid that each part gives to each server. Each server computes both ends
// from the regions of all parts and the cells that the servers want, so a piece needs no list of cells.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "model/region.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/regridding/block_cells.hpp"
#include "pipeline/regridding/weights.hpp"

namespace tailrace::pipeline::regridding {

// One for all fields of a grid that are regridded with the same weights. From any thread.
class CellExchange {
 public:
  // The cells that a part gives to a server. Targets are positions in the packed array of the server.
  struct Outgoing {
    int server = 0;
    std::vector<model::Segment> cells;
    std::int64_t count = 0;  // horizontal cells
  };
  // The cells that this server gets of a part.
  struct Incoming {
    BlockCells block;
    std::vector<model::Segment> cells;
    std::int64_t count = 0;
  };
  struct PartOut {
    BlockCells block;
    std::vector<Outgoing> to;
  };

  // Both must live longer. `field`: of the grid; `horizontal`: names of its horizontal dims.
  CellExchange(const Blueprint& blueprint, const Weights& weights, int field,
               const std::vector<std::string>& horizontal);

  const GridDims& dims() const { return dims_; }
  // By part that gives this server cells.
  const std::map<int, Incoming>& incoming() const { return incoming_; }
  // The same for a part whose values are on this server; the reference stays valid.
  const PartOut& outgoing(int part) const;
  std::size_t bytes() const;

 private:
  model::Region horizontal_part(int part) const;
  void check_all_come() const;

  const Blueprint& blueprint_;
  const Weights& weights_;
  int field_, grid_;
  GridDims dims_;
  std::map<int, Incoming> incoming_;
  mutable std::mutex mutex_;  // guards the map, not its values
  mutable std::map<int, PartOut> outgoing_;
};

}  // namespace tailrace::pipeline::regridding
