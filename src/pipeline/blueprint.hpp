// The description of a component before its first step, identical on all servers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "cf/layout.hpp"
#include "model/block.hpp"
#include "model/declarations.hpp"
#include "plan/append/append.hpp"
#include "plan/plan.hpp"

namespace tailrace::pipeline {

struct ComponentInfo {
  int number = 0;                         // among the components
  bool is_stream = false;                 // of a session
  settings::Configuration configuration;  // with the model's options filled in
  model::Declarations declarations;
  model::Decomposition decomposition;
  model::Tick begin;
  std::vector<plan::ContinuedAxes> continued;  // by file of the plan; empty if the run appends to no file
  std::vector<plan::ExistingFills>
      fills;       // by file of the plan: those of the files that the run goes on with
  int leader = 0;  // the server of the component's first rank: it announces the steps to the others
  std::string history;
  std::size_t memory = 0;  // bytes of each server for this component; 0: all that the configuration allows
  std::size_t memory_left = SIZE_MAX;                         // bytes available to this server on its node
  std::shared_ptr<const model::StateLoader> saved = nullptr;  // the checkpoint of a restart at `begin`
};

// Constant after construction, so any thread may read it. If there are diagnostics, their fields and grids
// follow those of the model in the declarations and the decomposition.
struct Blueprint {
  explicit Blueprint(ComponentInfo info);
  // Not copyable: time axes, sinks and the engine hold references into it.
  Blueprint(const Blueprint&) = delete;
  Blueprint& operator=(const Blueprint&) = delete;

  const model::Field& field(int index) const { return info.declarations.fields[base::index(index)]; }
  // `part`: of the decomposition, as everywhere behind ServedComponent::accept. The first part of a client
  // has the client's number.
  const model::Region& region(int grid, int part) const {
    return info.decomposition.regions[base::index(grid)][base::index(part)];
  }
  bool has_further_parts() const { return !info.decomposition.further.empty(); }
  // All parts of a client, first the one that has its number. Its block of a field holds those that are no
  // holes, one after the other.
  const std::vector<int>& parts_of(int client) const { return parts_[base::index(client)]; }
  std::vector<int> parts_of(std::span<const int> clients) const;  // ascending
  // False for a further part of a grid that is whole on each rank. (Without dims its region has a cell.)
  bool holds(int grid, int part) const;
  // Whether a part has values of the field. Only the first rank sends its copy of a replicated field.
  bool sends(int field, int part) const;
  bool is_inline() const { return info.configuration.servers.mode == settings::Mode::inline_; }

  ComponentInfo info;
  plan::Plan plan;
  std::vector<cf::DatasetLayout> layouts;  // by file of the plan

 private:
  std::vector<std::vector<int>> parts_;  // by client
};

}  // namespace tailrace::pipeline
