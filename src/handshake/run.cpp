#include "handshake/run.hpp"

#include <utility>

#include "base/index.hpp"

namespace tailrace::handshake {

void forget_configurations(Run& run) {
  settings::ServersOptions servers = run.servers();
  run.configurations = std::vector<settings::Configuration>(1);
  run.configurations.front().servers = std::move(servers);
  run.sources.clear();
}

transport::Pair pair_of(const Run& run, int rank) {
  const auto place = base::index(rank);
  const int server = run.assignment.servers[base::index(run.assignment.server_of[place])];
  return {rank, server, run.nodes[place] == run.nodes[base::index(server)]};
}

const transport::Transport& transport_of(const Run& run, int rank) {
  return transport::choose_transport(run.servers().transport, pair_of(run, rank));
}

}  // namespace tailrace::handshake
