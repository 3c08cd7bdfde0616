// A fused piece of a graph: elementwise chains over the cells of a block, computed in cache-sized pieces
// whose results are stored or go straight into reductions. Compiled for several instruction sets; results
// have the same bits on all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/simd/level.hpp"
#include "model/data_type.hpp"

namespace tailrace::analytics {

// Values that a program reads: of a node's dims (a subset of the program's, broadcast over the rest), C order
// over the block's extents, aligned or not, of any type; converted to float64 on the way.
struct Operand {
  std::span<const std::byte> bytes;
  model::DataType type = model::DataType::float64;
};

// What a program is compiled from: nodes of a graph.
struct ProgramNodes {
  Dims space = {};                // the dims to go over, slowest first
  std::vector<int> sources = {};  // whose values are given to run()
  std::vector<int> stores = {};   // whose values are wanted, each with the dims of the whole space
  std::vector<int> sinks = {};    // fusible reductions of nodes with the dims of the space, in any order
};

// Constant after construction. Compiled to a list of steps that is gone through once for every piece of some
// hundred cells, and not to one loop over cells: an operation then is a loop of its own over a piece in the
// first cache, which the compiler has vectorised. Machine code made at run time could spare the registers'
// way through that cache, at the price of a compiler in every process.
class Program {
 public:
  // All elementwise and constant nodes on the way from sources to stores and sinks become part of the
  // program; equal work is done once. Nothing of `graph` is needed afterwards. `level` changes no bit, NaN's
  // payload aside.
  Program(const Graph& graph, const ProgramNodes& nodes, simd::Level level = simd::level());
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // `region`: of the block in the space; where it is empty nothing happens. `stores[i]`: room for
  // region.size() values, in the order of the space. `sinks[i]`: what the reduction's start() gave,
  // exclusively this call's while it runs. Safe from several threads at once. Allocates only until a thread
  // has seen its greatest program.
  void run(const model::Region& region, std::span<const Operand> sources,
           std::span<const std::span<double>> stores, std::span<FusiblePartial* const> sinks) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tailrace::analytics
