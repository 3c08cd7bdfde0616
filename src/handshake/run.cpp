#include "handshake/run.hpp"

#include <utility>

namespace tailrace::handshake {

void forget_configurations(Run& run) {
  settings::ServersOptions servers = run.servers();
  run.configurations = std::vector<settings::Configuration>(1);
  run.configurations.front().servers = std::move(servers);
  run.sources.clear();
}

transport::Pair pair_of(const Run& run, int rank) {
  const auto place = static_cast<std::size_t>(rank);
  const int server = run.assignment.servers[static_cast<std::size_t>(run.assignment.server_of[place])];
  return {rank, server, run.nodes[place] == run.nodes[static_cast<std::size_t>(server)]};
}

const transport::Transport& transport_of(const Run& run, int rank) {
  return transport::choose_transport(run.servers().transport, pair_of(run, rank));
}

}  // namespace tailrace::handshake
