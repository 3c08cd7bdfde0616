#include "handshake/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"

namespace tailrace::handshake {
namespace {

std::vector<int> choose_dedicated(const std::vector<Participant>& participants,
                                  const settings::ServersOptions& options) {
  const int size = static_cast<int>(participants.size());
  std::vector<int> servers;
  for (int rank = 0; rank < size; ++rank)
    if (participants[static_cast<std::size_t>(rank)].serves) servers.push_back(rank);
  if (!servers.empty()) return servers;

  if (options.per_node > 0) {
    std::map<int, int> taken;  // by node
    for (int rank = size; rank-- > 0;) {
      int& on_node = taken[participants[static_cast<std::size_t>(rank)].node];
      if (on_node < options.per_node) {
        servers.push_back(rank);
        ++on_node;
      }
    }
  } else {
    for (int rank = std::max(0, size - options.count); rank < size; ++rank) servers.push_back(rank);
  }
  std::sort(servers.begin(), servers.end());
  if (static_cast<int>(servers.size()) >= size)
    throw Error(
        ErrorCode::configuration,
        fmt::format(
            "servers: {} of {} ranks would be servers, and no model rank is left; start more ranks, ask for "
            "fewer servers, or use `mode: attached` or `mode: inline`, which need no ranks of their own",
            servers.size(), size));
  return servers;
}

// The n-th of `clients` goes to the servers in blocks: the first ones to the first server and so on.
void assign(const std::vector<int>& clients, const std::vector<int>& servers, std::vector<int>& server_of) {
  for (std::size_t i = 0; i < clients.size(); ++i)
    server_of[static_cast<std::size_t>(clients[i])] = servers[i * servers.size() / clients.size()];
}

void assign_by_node(const std::vector<Participant>& participants, Assignment& assignment) {
  std::map<int, std::vector<int>> servers_on, clients_on;
  std::vector<int> all;
  for (std::size_t s = 0; s < assignment.servers.size(); ++s) {
    servers_on[participants[static_cast<std::size_t>(assignment.servers[s])].node].push_back(
        static_cast<int>(s));
    all.push_back(static_cast<int>(s));
  }
  std::vector<int> homeless;
  for (std::size_t rank = 0; rank < participants.size(); ++rank) {
    if (assignment.component_of[rank] < 0) continue;
    const int node = participants[rank].node;
    (servers_on.contains(node) ? clients_on[node] : homeless).push_back(static_cast<int>(rank));
  }
  for (const auto& [node, clients] : clients_on) assign(clients, servers_on[node], assignment.server_of);
  if (!homeless.empty()) assign(homeless, all, assignment.server_of);
}

}  // namespace

Assignment place(const std::vector<Participant>& participants, const settings::ServersOptions& options) {
  Assignment assignment;
  const std::size_t size = participants.size();
  assignment.server_of.assign(size, -1);
  assignment.component_of.assign(size, -1);
  std::vector<bool> is_server(size, false);
  if (options.mode == settings::Mode::dedicated) {
    assignment.servers = choose_dedicated(participants, options);
    for (const int rank : assignment.servers) is_server[static_cast<std::size_t>(rank)] = true;
  }
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (is_server[rank] || participants[rank].serves) continue;
    const std::string& name = participants[rank].component;
    auto known = std::find(assignment.components.begin(), assignment.components.end(), name);
    if (known == assignment.components.end()) {
      assignment.components.push_back(name);
      assignment.ranks.emplace_back();
      known = assignment.components.end() - 1;
    }
    const auto component = static_cast<std::size_t>(known - assignment.components.begin());
    assignment.component_of[rank] = static_cast<int>(component);
    assignment.ranks[component].push_back(static_cast<int>(rank));
  }
  if (assignment.components.empty())
    throw Error(ErrorCode::configuration,
                "there are only servers and no model rank; start a model beside them");
  if (options.mode == settings::Mode::dedicated) {
    assign_by_node(participants, assignment);
  } else if (options.mode != settings::Mode::off) {
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (assignment.component_of[rank] < 0) continue;
      assignment.server_of[rank] = static_cast<int>(assignment.servers.size());
      assignment.servers.push_back(static_cast<int>(rank));
    }
  }
  return assignment;
}

}  // namespace tailrace::handshake
