// A fused piece of a graph: elementwise chains over the cells of a block, computed in cache-sized pieces
// whose results are stored or go straight into reductions. Compiled for several instruction sets; results
// have the same bits on all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analytics/graph.hpp"
#include "model/data_type.hpp"

namespace tailrace::analytics {

// Values that a program reads: of a node's dims (a subset of the program's, broadcast over the rest), C order
// over the block's extents, aligned or not, of any type; converted to float64 on the way.
struct Operand {
  std::span<const std::byte> bytes;
  model::DataType type = model::DataType::float64;
};

class Program {
 public:
  // `space`: the dims to go over, slowest first. `sources`: nodes whose values are given to run(). `stores`:
  // nodes whose values are wanted, each with the dims of the whole space. `sinks`: fusible reductions of
  // nodes with the dims of the space. All elementwise and constant nodes on the way from sources to these
  // become part of the program; equal work is done once. `graph` must live longer.
  Program(const Graph& graph, Dims space, std::vector<int> sources, std::vector<int> stores,
          std::vector<int> sinks);
  ~Program();

  // `region`: of the block in the space. `stores[i]`: room for region.size() values. `sinks[i]`: what the
  // reduction's start() gave, exclusively this call's while it runs. Safe from several threads at once.
  void run(const model::Region& region, std::span<const Operand> sources,
           std::span<const std::span<double>> stores, std::span<FusiblePartial* const> sinks) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tailrace::analytics
