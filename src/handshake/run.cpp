#include "handshake/run.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace tailrace::handshake {

std::map<std::string, std::string> given_options(const Run& run, int component) {
  const auto c = base::index(component);
  std::map<std::string, std::string> options;
  if (settings::mentions_option(run.sources[c], settings::component_option))
    options[settings::component_option] = run.assignment.components[c];
  if (settings::mentions_option(run.sources[c], settings::member_option)) {
    const auto same = std::ranges::count_if(
        run.sources.begin(), run.sources.begin() + component,
        [&](const settings::Sources& other) { return other.front().name == run.sources[c].front().name; });
    options[settings::member_option] = std::to_string(same);
  }
  return options;
}

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
