#include "handshake/placement/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"

namespace tailrace::handshake {

namespace {

std::string far_servers(const Assignment& assignment, const std::vector<Participant>& participants) {
  const auto node_of = [&](int rank) { return participants[base::index(rank)].node; };
  std::set<int> with_server, nodes;
  for (const Participant& rank : participants) nodes.insert(rank.node);
  for (const int server : assignment.servers) with_server.insert(node_of(server));
  std::size_t clients = 0, far = 0;
  for (std::size_t rank = 0; rank < participants.size(); ++rank) {
    const int server = assignment.server_of[rank];
    if (server < 0) continue;
    ++clients;
    if (node_of(assignment.servers[base::index(server)]) != participants[rank].node) ++far;
  }
  if (far == 0) return "";
  const std::string remedy =
      "ask for `servers: {per_node: 1}`, or place `tailrace serve` on every node, so that ranks hand over "
      "their fields through shared memory";
  if (with_server.size() == 1 && assignment.servers.size() > 1)
    return fmt::format(
        "servers: all {} servers are on one of {} nodes, and {} of {} model ranks send their "
        "fields to it through the network; {}",
        assignment.servers.size(), nodes.size(), far, clients, remedy);
  return fmt::format(
      "servers: {} of {} model ranks have no server on their node and send their fields "
      "through the network; {}",
      far, clients, remedy);
}

// Servers that are bound to the same core as a model rank.
std::string shared_cores(const Assignment& assignment, const std::vector<Participant>& participants) {
  std::map<std::pair<int, int>, std::size_t> models;
  for (std::size_t rank = 0; rank < participants.size(); ++rank)
    if (assignment.component_of[rank] >= 0 && participants[rank].only_core >= 0)
      models.emplace(std::pair(participants[rank].node, participants[rank].only_core), rank);
  int sharing = 0;
  std::string first;
  for (const int server : assignment.servers) {
    const auto rank = base::index(server);
    if (assignment.component_of[rank] >= 0) continue;
    const auto model = models.find({participants[rank].node, participants[rank].only_core});
    if (model == models.end()) continue;
    if (sharing++ == 0)
      first = fmt::format("rank {} and model rank {} share core {}", server, model->second,
                          participants[rank].only_core);
  }
  if (sharing == 0) return "";
  return fmt::format(
      "servers: {} of {} server ranks are bound to the same core as a model rank ({}); start fewer ranks on "
      "a "
      "node than it has cores, or let the launcher bind none",
      sharing, assignment.servers.size(), first);
}

std::string unknown_domains(const std::vector<Participant>& participants,
                            const settings::ServersOptions& options) {
  if (options.mode != settings::Mode::dedicated || options.per_domain == 0) return "";
  const auto unknown = std::count_if(participants.begin(), participants.end(),
                                     [](const Participant& rank) { return rank.domain < 0; });
  if (unknown == 0) return "";
  return fmt::format(
      "servers: of {} ranks {} are not bound to a known NUMA domain, and count as one domain of their node "
      "(servers.per_domain); let the launcher bind ranks (mpirun --bind-to core), and build Tailrace with "
      "hwloc",
      participants.size(), unknown);
}

}  // namespace

std::vector<std::string> placement_warnings(const Assignment& assignment,
                                            const std::vector<Participant>& participants,
                                            const settings::ServersOptions& options) {
  std::vector<std::string> warnings{far_servers(assignment, participants),
                                    shared_cores(assignment, participants),
                                    unknown_domains(participants, options)};
  std::erase(warnings, "");
  return warnings;
}

}  // namespace tailrace::handshake
