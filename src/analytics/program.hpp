// A fused part of a graph: chains of elementwise operations over the cells of a block, computed in
// cache-sized pieces whose results are stored or passed directly to reductions. Compiled for several
// instruction sets, with the same bits on all of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/simd/level.hpp"
#include "model/data_type.hpp"

namespace tailrace::analytics {

// Values that a program reads. They have a subset of the program's dims (broadcast over the others), are in C
// order over the block's extents, need not be aligned, and may have any type; they are converted to float64.
struct Operand {
  std::span<const std::byte> bytes;
  model::DataType type = model::DataType::float64;
};

// The nodes of a graph from which a program is compiled.
struct ProgramNodes {
  Dims space = {};                // the dims of the iteration, slowest first
  std::vector<int> sources = {};  // nodes whose values are passed to run()
  std::vector<int> stores = {};   // nodes whose values are stored, each with all dims of the space
  std::vector<int> sinks = {};    // fusible reductions of nodes with the dims of the space in any order
};

// Immutable after construction. A program is a list of steps that is executed for every piece of some hundred
// cells, and not one loop over cells (vectorised interpretation, as in the database MonetDB/X100; Boncz et
// al., 2005). Each operation is then a vectorised loop over data in the first-level cache. Machine code
// generated at run time could keep intermediate values in registers, but would need a compiler in every
// process.
class Program {
 public:
  // All elementwise and constant nodes between the sources and the stores and sinks become part of the
  // program; equal work is done once. `graph` is not needed afterwards. `level` does not change any bit,
  // except a NaN's payload.
  Program(const Graph& graph, const ProgramNodes& nodes, simd::Level level = simd::level());
  ~Program();
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;

  // `region`: the block in the space; if it is empty nothing is done. `stores[i]`: memory for region.size()
  // values, in the order of the space. `sinks[i]`: results of the reductions' start(), used only by this call
  // while it runs. Thread-safe. Each thread keeps its scratch memory, so that it allocates only for a program
  // larger than any before.
  void run(const model::Region& region, std::span<const Operand> sources,
           std::span<const std::span<double>> stores, std::span<FusiblePartial* const> sinks) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tailrace::analytics
