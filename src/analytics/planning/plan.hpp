// The plan of all steps at which the same diagnostics are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analytics/planning/bundle.hpp"
#include "analytics/planning/layout.hpp"
#include "analytics/planning/schedule.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::planning {

// Nodes are those of the bundled graph; clients are indices into this server's clients. Immutable, so that
// workers share it without a lock. Its construction compiles programs, which costs more than a small step, so
// StepStore keeps one plan for each set of diagnostics that are due together.
class Plan {
 public:
  // `due`: by diagnostic. `layout` must outlive this object.
  Plan(const Layout& layout, const std::vector<char>& due);
  Plan(const Plan&) = delete;  // regions_ point into lists_
  Plan& operator=(const Plan&) = delete;

  const Layout& layout() const { return layout_; }
  const Bundled& bundled() const { return bundled_; }
  const Schedule& schedule() const { return schedule_; }
  const std::vector<int>& diagnostics() const { return diagnostics_; }  // those that are due
  Bundled::Position position(int input) const {
    return positions_[base::index(input)];
  }  // node -1: not needed
  bool may_lack(int input) const {
    return may_lack_[base::index(input)] != 0;
  }  // whether values may be missing

  std::size_t nodes() const { return bundled_.graph.nodes.size(); }
  const Node& node(int number) const { return bundled_.graph.nodes[base::index(number)]; }
  Place place(int node) const { return bundled_.placement.place[base::index(node)]; }
  const std::vector<int>& members(int node) const { return bundled_.members[base::index(node)]; }
  bool several(int node) const { return bundled_.several(node); }

  // The region of the block of a local node.
  const model::Region& region(int node, std::size_t client) const {
    return (*regions_[base::index(node)])[client];
  }
  // The number of workers that a phase justifies.
  std::size_t workers(std::size_t phase) const { return workers_[phase]; }
  // Whether a phase is small enough to run without a worker: few cells, and no operator of unknown cost.
  bool light(std::size_t phase) const { return light_[phase]; }

 private:
  void lay_out();
  std::int64_t cells(const Stage& stage) const;  // total of all blocks of its nodes
  bool is_light(const PhasePlan& phase) const;
  std::size_t worth(const Stage& stage) const;

  const Layout& layout_;
  const Bundled bundled_;
  const Schedule schedule_;
  std::vector<int> diagnostics_;
  std::vector<Bundled::Position> positions_;                                 // by input
  std::vector<char> may_lack_;                                               // by input
  std::map<std::pair<int, std::size_t>, std::vector<model::Region>> lists_;  // by cut and members; by client
  std::vector<const std::vector<model::Region>*> regions_;                   // by node
  std::vector<std::size_t> workers_;                                         // by phase
  std::vector<bool> light_;                                                  // by phase
};

}  // namespace tailrace::analytics::planning
