#include "handshake/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace tailrace::handshake {
namespace {

// A NUMA domain of a node; the ranks that are bound to none are one more.
using Domain = std::pair<int, int>;

Domain domain_of(const Participant& rank) { return {rank.node, rank.domain}; }

std::vector<int> last_of_domains(const std::vector<Participant>& participants, int of_each) {
  std::map<Domain, int> taken;
  std::vector<int> ranks;
  for (int rank = static_cast<int>(participants.size()); rank-- > 0;)
    if (taken[domain_of(participants[static_cast<std::size_t>(rank)])]++ < of_each) ranks.push_back(rank);
  return ranks;
}

// The last rank of each domain goes before the last but one of any: by turns, then from the end.
std::vector<int> last_of_nodes(const std::vector<Participant>& participants, int of_each) {
  std::map<Domain, int> seen;
  std::map<int, std::vector<std::pair<int, int>>> on_node;  // (turn, -rank)
  for (int rank = static_cast<int>(participants.size()); rank-- > 0;) {
    const Participant& here = participants[static_cast<std::size_t>(rank)];
    on_node[here.node].emplace_back(seen[domain_of(here)]++, -rank);
  }
  std::vector<int> ranks;
  for (auto& [node, turns] : on_node) {
    std::sort(turns.begin(), turns.end());
    turns.resize(std::min(turns.size(), static_cast<std::size_t>(of_each)));
    for (const auto& [turn, rank] : turns) ranks.push_back(-rank);
  }
  return ranks;
}

std::vector<int> choose_dedicated(const std::vector<Participant>& participants,
                                  const settings::ServersOptions& options) {
  const int size = static_cast<int>(participants.size());
  std::vector<int> servers;
  for (int rank = 0; rank < size; ++rank)
    if (participants[static_cast<std::size_t>(rank)].serves) servers.push_back(rank);
  if (!servers.empty()) return servers;

  if (options.per_node > 0) {
    servers = last_of_nodes(participants, options.per_node);
  } else if (options.per_domain > 0) {
    servers = last_of_domains(participants, options.per_domain);
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

// Of one kind of neighbourhood, which `place` names: those that have a server in theirs are served; the
// others are left.
template <class Place>
std::vector<int> assign_near(const std::vector<Participant>& participants, const std::vector<int>& clients,
                             Assignment& assignment, Place place) {
  std::map<Domain, std::vector<int>> servers_in, clients_in;
  for (std::size_t s = 0; s < assignment.servers.size(); ++s)
    servers_in[place(participants[static_cast<std::size_t>(assignment.servers[s])])].push_back(
        static_cast<int>(s));
  std::vector<int> left;
  for (const int rank : clients) {
    const Domain here = place(participants[static_cast<std::size_t>(rank)]);
    (servers_in.contains(here) ? clients_in[here] : left).push_back(rank);
  }
  for (const auto& [here, near] : clients_in) assign(near, servers_in[here], assignment.server_of);
  return left;
}

void assign_to_nearest(const std::vector<Participant>& participants, Assignment& assignment) {
  std::vector<int> clients, unbound, bound;
  for (std::size_t rank = 0; rank < participants.size(); ++rank)
    if (assignment.component_of[rank] >= 0)
      (participants[rank].domain < 0 ? unbound : bound).push_back(static_cast<int>(rank));
  std::vector<int> left = assign_near(participants, bound, assignment, domain_of);
  left.insert(left.end(), unbound.begin(), unbound.end());
  std::sort(left.begin(), left.end());
  left = assign_near(participants, left, assignment,
                     [](const Participant& rank) { return Domain(rank.node, 0); });
  assign_near(participants, left, assignment, [](const Participant&) { return Domain(0, 0); });
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
    assign_to_nearest(participants, assignment);
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
