// What every rank knows after the first exchange of `start`.
#pragma once

#include <vector>

#include "handshake/assignment.hpp"
#include "settings/configuration.hpp"
#include "transport/process.hpp"
#include "transport/registry.hpp"

namespace tailrace::handshake {

struct Run {
  Assignment assignment;
  std::vector<settings::Sources> sources;               // by component
  std::vector<settings::Configuration> configurations;  // by component, without the model's options
  std::vector<int> nodes;                               // by rank
  std::vector<transport::ProcessId> processes;          // by rank
  const settings::ServersOptions& servers() const { return configurations.front().servers; }
};

// A model rank and its dedicated server, and what carries records between them. Throws Error(configuration)
// where the transport that is asked for cannot join them.
transport::Pair pair_of(const Run& run, int rank);
const transport::Transport& transport_of(const Run& run, int rank);

}  // namespace tailrace::handshake
