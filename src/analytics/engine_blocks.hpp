// What an engine computes: blocks of clients, and whole arrays at their roots. On workers; nothing here waits
// or sends.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "analytics/engine.hpp"
#include "analytics/engine_layout.hpp"
#include "analytics/engine_work.hpp"
#include "analytics/schedule.hpp"

namespace tailrace::analytics {

// Nodes are those of the bundled graph.
class Engine::Blocks {
 public:
  // All must live longer.
  Blocks(const Graph& graph, const Bundled& bundled, const Schedule& schedule, const Layout& layout,
         const std::vector<int>& clients);

  // Where the block of a local node lies; `client` counts this server's.
  const model::Region& region(int node, std::size_t client) const { return (*regions_[at(node)])[client]; }
  // How many workers a phase is worth.
  std::size_t lanes(std::size_t phase) const { return lanes_[phase]; }
  // Small enough to be done without a worker: no operator of unknown cost, and few cells.
  bool light(std::size_t phase) const { return light_[phase]; }
  void open(Work& work) const;  // makes room for blocks of inputs
  void take(Work& work, Bundled::Seat seat, std::size_t client, model::DataType type,
            std::span<const std::byte> payload) const;
  void close(Work& work) const;  // what has not come does not come
  // The phase for one client.
  void run(Work& work, std::size_t phase, std::size_t client, Lane& lane) const;
  // This server's part for a root.
  messaging::Bytes contribution(Work& work, std::size_t phase, const RootPlan& root) const;
  void compute_at_root(Work& work, std::size_t phase, const RootPlan& root,
                       const std::vector<messaging::Bytes>& parts, int me,
                       std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  messaging::Bytes announcement(const Work& work, const RootPlan& root) const;
  void take_announcement(Work& work, const RootPlan& root, const messaging::Bytes& message) const;
  // `diagnostics`: that are due, of the graph that is not bundled.
  void results(const Work& work, const std::vector<int>& diagnostics, int me, int home, StepResults& results,
               std::vector<Failure>& failures) const;
  void recycle(Work& work) const;

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  const Node& node(int number) const { return bundled_.graph.nodes[at(number)]; }
  Place place(int node) const { return bundled_.placement.place[at(node)]; }
  // As a client sees it, or (at_root) a root, which has gathered what it needs of local nodes.
  static constexpr std::size_t at_root = SIZE_MAX;
  const Value& value(const Work& work, int node, std::size_t client) const;
  Absences absences(const Work& work, const std::vector<int>& sources, std::size_t client) const;
  void mark(Work& work, int node, std::size_t client, Lane& lane, const Absences& absences) const;
  std::string failed(Work& work, int op, const std::exception& error) const;
  bool depends(int node, int on) const;
  void lay_out(const std::vector<int>& clients);
  std::int64_t cells(const Stage& stage) const;  // that all blocks of its nodes have
  bool is_light(const PhasePlan& phase) const;
  std::size_t worth(const Stage& stage) const;
  void merge_lanes(Work& work, std::size_t phase) const;
  void run_program(Work& work, const ProgramPlan& plan, std::size_t client, Lane& lane) const;
  void run_part(Work& work, const ProgramPlan& plan, const Program& program, const std::vector<int>& sources,
                const std::vector<int>& stores, const std::vector<int>& sinks, std::size_t client,
                Lane& lane) const;
  void run_op(Work& work, int node, std::size_t client, Lane& lane) const;
  Partial& partial(Lane& lane, int node) const;
  void take_contribution(Work& work, const RootPlan& root, const messaging::Bytes& part, Lane& lane,
                         std::map<int, std::vector<std::pair<int, Value>>>& blocks) const;
  void take_replicated(Work& work, int me) const;
  void run_root_program(Work& work, const ProgramPlan& plan, const Program& program,
                        const std::vector<int>& sources, const std::vector<int>& stores) const;
  void run_root_stage(Work& work, const Stage& stage, std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  void run_root_op(Work& work, int node, std::map<int, std::unique_ptr<KernelRun>>& runs) const;
  void gather_blocks(Work& work, int node, const std::vector<std::pair<int, Value>>& blocks) const;

  const Graph& graph_;  // not bundled
  const Bundled& bundled_;
  const Schedule& schedule_;
  const Layout& layout_;
  const std::vector<int>& clients_;
  std::map<std::pair<int, std::size_t>, std::vector<model::Region>> lists_;  // by cut and members; by client
  std::vector<const std::vector<model::Region>*> regions_;                   // by node
  std::vector<std::size_t> lanes_;                                           // by phase
  std::vector<bool> light_;                                                  // by phase
};

}  // namespace tailrace::analytics
