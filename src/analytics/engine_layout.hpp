// What is the same at every step: values that every server knows, and where blocks lie.
#pragma once

#include <cstdint>
#include <vector>

#include "analytics/engine.hpp"
#include "analytics/engine_work.hpp"

namespace tailrace::analytics {

struct Engine::Layout {
  Layout(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs);

  std::vector<Value> known;                         // by node, where it is known
  std::vector<int> cuts;                            // for Placement::cut
  std::vector<std::vector<model::Region>> regions;  // by cut: of all clients of the component
  std::vector<std::int64_t> cells;                  // by node: of its largest block

 private:
  void compute_known(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs);
  void cut_blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs);
};

}  // namespace tailrace::analytics
