// What an engine computes: blocks of clients, and whole arrays at their roots. On workers; nothing here waits
// or sends.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analytics/engine.hpp"
#include "analytics/engine_work.hpp"

namespace tailrace::analytics {

class Engine::Blocks {
 public:
  Blocks(const Graph& graph, const Placement& placement, const std::vector<EngineInput>& inputs,
         const std::vector<int>& clients);

  std::vector<int> cuts() const;  // for Placement::cut
  // Where the block of a local node lies; `client` counts this server's.
  const model::Region& region(int node, std::size_t client) const;
  int node_of_input(int input) const { return nodes_of_inputs_[static_cast<std::size_t>(input)]; }
  // How many workers a phase is worth.
  std::size_t lanes(const Schedule& schedule, std::size_t phase) const;
  // The phase for one client.
  void run(Work& work, std::size_t phase, std::size_t client, Lane& lane) const;
  // This server's part for a root.
  messaging::Bytes contribution(Work& work, std::size_t phase, const RootPlan& root) const;
  void compute_at_root(Work& work, std::size_t phase, const RootPlan& root,
                       const std::vector<messaging::Bytes>& parts, int me,
                       std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  messaging::Bytes announcement(const Work& work, const RootPlan& root) const;
  void take_announcement(Work& work, const RootPlan& root, const messaging::Bytes& message) const;
  void results(Work& work, int me, int home, StepResults& results, std::vector<Failure>& failures) const;
  void recycle(Work& work) const;

 private:
  const Value& known(int node) const { return known_.at(node); }
  Value& value(Work& work, int node, std::size_t client) const;  // as the client sees it
  std::string missing(const Work& work, int node, std::size_t client) const;
  std::string failed(Work& work, int op, const std::exception& error) const;
  void compute_known();
  bool depends(int node, int on) const;
  void merge_lanes(Work& work, std::size_t phase) const;
  void run_program(Work& work, const ProgramPlan& plan, std::size_t client, Lane& lane) const;
  void run_part(Work& work, const ProgramPlan& plan, const Program& program, const std::vector<int>& sources,
                const std::vector<int>& stores, const std::vector<int>& sinks, std::size_t client,
                Lane& lane) const;
  void run_op(Work& work, int node, std::size_t client, Lane& lane) const;
  void run_root_stage(Work& work, const Stage& stage, std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  void run_root_op(Work& work, int node, std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  void gather_blocks(Work& work, int node, const std::vector<std::pair<int, Value>>& blocks) const;

  const Graph& graph_;
  const Placement& placement_;
  const std::vector<EngineInput>& inputs_;
  const std::vector<int>& clients_;
  std::vector<int> nodes_of_inputs_;
  std::map<int, Value> known_;                         // by node
  std::map<int, std::vector<model::Region>> regions_;  // by node, of all clients of the component
};

}  // namespace tailrace::analytics
