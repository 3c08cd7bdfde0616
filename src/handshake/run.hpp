// The description of the run that every rank has after the first exchange of `start`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
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

// Shards of earlier jobs that were drained from burst buffers in `start`.
struct DrainedInStart {
  std::uint64_t shards = 0, bytes = 0;
};

struct Run {
  Assignment assignment;
  std::vector<settings::Sources> sources;               // by component
  std::vector<settings::Configuration> configurations;  // by component, without the model's options
  StridedRuns nodes;                                    // by rank: the lowest rank of its node
  std::map<int, transport::ProcessId> processes;  // by rank: those of this node, and servers watched by TCP
  std::vector<CpusOfRank> cpus_on_node;           // of the ranks of this node, ascending
  DrainedInStart drained = {};
  const settings::ServersOptions& servers() const { return configurations.front().servers; }
};

void put_sources(base::ByteWriter& writer, const settings::Sources& sources);
settings::Sources get_sources(base::ByteReader& reader);

// The options that a component has although its model gives none, as far as its configuration mentions them:
// its name, and its place among the components with the same configuration.
std::map<std::string, std::string> given_options(const Run& run, int component);

// Frees the configurations, except for `servers()`, and the texts of other components. A model rank without a
// server of its own needs no more once it is ready: output streams of its component are made from its texts.
void forget_configurations(Run& run, int component);

// A model rank with its dedicated server, and the transport between them. Throws Error(configuration) if the
// configured transport cannot connect them.
transport::Pair pair_of(const Run& run, int rank);
const transport::Transport& transport_of(const Run& run, int rank);

}  // namespace tailrace::handshake
