// The messages of a phase: partial results and blocks to a root, whole arrays from it.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "analytics/engine/work/step_values.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::analytics::engine::work {

// Encodes and decodes the messages; the scheduler sends them. A root gets one message from each server with
// everything it needs in a phase, since a message costs more than the few numbers of a partial result.
class Exchange {
 public:
  Exchange(StepValues& values, std::size_t phase)
      : values_(values), plan_(values.plan()), worker_partials_(values.workers(phase)), phase_(phase) {}

  // This server's contribution to a root.
  messaging::Bytes contribution(const planning::RootPlan& root);
  // At the root: computes its global values from this server's parts and the other servers' contributions
  // (`parts`, by server).
  void collect(const planning::RootPlan& root, const std::vector<messaging::Bytes>& parts);

  // The broadcast of a root after its computation.
  messaging::Bytes announcement(const planning::RootPlan& root) const;
  void take_announcement(const planning::RootPlan& root, const messaging::Bytes& message);

 private:
  using Blocks = std::vector<std::pair<int, Value>>;  // by client of the component

  void merge_workers();
  void take_contribution(const planning::RootPlan& root, const messaging::Bytes& part,
                         std::map<int, Blocks>& blocks);
  void gather_blocks(int node, const Blocks& blocks);
  void take_replicated();
  void finish_reduction(int node);

  StepValues& values_;
  const planning::Plan& plan_;
  std::vector<WorkerPartials>& worker_partials_;
  std::size_t phase_;
};

}  // namespace tailrace::analytics::engine::work
