#include "handshake/placement_warnings.hpp"

#include <fmt/format.h>

#include <set>

namespace tailrace::handshake {

std::vector<std::string> placement_warnings(const Assignment& assignment, const std::vector<int>& nodes) {
  const auto node_of = [&](int rank) { return nodes[static_cast<std::size_t>(rank)]; };
  std::set<int> with_server;
  for (const int server : assignment.servers) with_server.insert(node_of(server));
  std::size_t clients = 0, far = 0;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    const int server = assignment.server_of[rank];
    if (server < 0) continue;
    ++clients;
    if (node_of(assignment.servers[static_cast<std::size_t>(server)]) != nodes[rank]) ++far;
  }
  if (far == 0) return {};
  const std::string remedy =
      "ask for `servers: {per_node: 1}`, or place `tailrace serve` on every node, so that ranks hand over "
      "their fields through shared memory";
  if (with_server.size() == 1 && assignment.servers.size() > 1)
    return {fmt::format(
        "servers: all {} servers are on one of {} nodes, and {} of {} model ranks send their "
        "fields to it through the network; {}",
        assignment.servers.size(), std::set<int>(nodes.begin(), nodes.end()).size(), far, clients, remedy)};
  return {
      fmt::format("servers: {} of {} model ranks have no server on their node and send their fields "
                  "through the network; {}",
                  far, clients, remedy)};
}

}  // namespace tailrace::handshake
