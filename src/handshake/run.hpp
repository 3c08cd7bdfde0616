// What every rank knows after the first exchange of `start`.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "handshake/assignment.hpp"
#include "settings/configuration.hpp"
#include "transport/process.hpp"
#include "transport/registry.hpp"

namespace tailrace::handshake {

// The hardware threads on which a rank may run, ascending.
struct CpusOfRank {
  int rank = 0;
  std::vector<int> cpus;
};

// Checkpoints of jobs before, out of burst buffers, in `start`.
struct DrainedInStart {
  std::uint64_t shards = 0, bytes = 0;
};

struct Run {
  Assignment assignment;
  std::vector<settings::Sources> sources;               // by component
  std::vector<settings::Configuration> configurations;  // by component, without the model's options
  StridedRuns nodes;                                    // by rank; named by the lowest rank of each
  std::map<int, transport::ProcessId> processes;        // by rank: of this node, and others that are known
  std::vector<CpusOfRank> cpus_on_node;                 // of the ranks of this node, ascending
  DrainedInStart drained = {};
  const settings::ServersOptions& servers() const { return configurations.front().servers; }
};

// All of the configurations but what `servers()` gives, and their texts: a model rank that serves nobody
// needs no more of them once it is ready.
void forget_configurations(Run& run);

// A model rank and its dedicated server, and what carries records between them. Throws Error(configuration)
// where the transport that is asked for cannot join them.
transport::Pair pair_of(const Run& run, int rank);
const transport::Transport& transport_of(const Run& run, int rank);

}  // namespace tailrace::handshake
