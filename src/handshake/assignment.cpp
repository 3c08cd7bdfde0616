#include "handshake/assignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::handshake {
namespace {

// (node, NUMA domain). The unbound ranks of a node form one more domain.
using Domain = std::pair<int, int>;

Domain domain_of(const Participant& rank) { return {rank.node, rank.domain}; }

std::vector<int> last_of_domains(const std::vector<Participant>& participants, int of_each) {
  std::map<Domain, int> taken;
  std::vector<int> ranks;
  for (int rank = static_cast<int>(participants.size()); rank-- > 0;)
    if (taken[domain_of(participants[base::index(rank)])]++ < of_each) ranks.push_back(rank);
  return ranks;
}

// Takes the last rank of each domain before the last but one of any, so that servers are spread over the
// domains of a node.
std::vector<int> last_of_nodes(const std::vector<Participant>& participants, int of_each) {
  std::map<Domain, int> seen;
  std::map<int, std::vector<std::pair<int, int>>> on_node;  // (turn, -rank)
  for (int rank = static_cast<int>(participants.size()); rank-- > 0;) {
    const Participant& here = participants[base::index(rank)];
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
    if (participants[base::index(rank)].serves) servers.push_back(rank);
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

// Assigns blocks of equal size: the first clients to the first server, and so on.
void assign(const std::vector<int>& clients, const std::vector<int>& servers, std::vector<int>& server_of) {
  for (std::size_t i = 0; i < clients.size(); ++i)
    server_of[base::index(clients[i])] = servers[i * servers.size() / clients.size()];
}

// The part of an Assignment that grows rank by rank.
struct Draft {
  std::vector<int> servers, server_of;
};

// Assigns the clients that have a server in the same neighbourhood, as computed by `place` (a NUMA domain, a
// node, the whole job). Returns the clients that have none.
template <class Place>
std::vector<int> assign_near(const std::vector<Participant>& participants, const std::vector<int>& clients,
                             Draft& draft, Place place) {
  std::map<Domain, std::vector<int>> servers_in, clients_in;
  for (std::size_t s = 0; s < draft.servers.size(); ++s)
    servers_in[place(participants[base::index(draft.servers[s])])].push_back(static_cast<int>(s));
  std::vector<int> left;
  for (const int rank : clients) {
    const Domain here = place(participants[base::index(rank)]);
    (servers_in.contains(here) ? clients_in[here] : left).push_back(rank);
  }
  for (const auto& [here, near] : clients_in) assign(near, servers_in[here], draft.server_of);
  return left;
}

void assign_to_nearest(const std::vector<Participant>& participants, const std::vector<bool>& is_model,
                       Draft& draft) {
  std::vector<int> unbound, bound;
  for (std::size_t rank = 0; rank < participants.size(); ++rank)
    if (is_model[rank]) (participants[rank].domain < 0 ? unbound : bound).push_back(static_cast<int>(rank));
  std::vector<int> left = assign_near(participants, bound, draft, domain_of);
  left.insert(left.end(), unbound.begin(), unbound.end());
  std::sort(left.begin(), left.end());
  left = assign_near(participants, left, draft, [](const Participant& rank) { return Domain(rank.node, 0); });
  assign_near(participants, left, draft, [](const Participant&) { return Domain(0, 0); });
}

}  // namespace

Assignment place(const std::vector<Participant>& participants, const settings::ServersOptions& options) {
  Assignment assignment;
  const std::size_t size = participants.size();
  Draft draft{{}, std::vector<int>(size, -1)};
  std::vector<bool> is_model(size, false);
  if (options.mode == settings::Mode::dedicated) draft.servers = choose_dedicated(participants, options);
  std::map<std::string, int> known;
  auto server = draft.servers.begin();
  for (std::size_t rank = 0; rank < size; ++rank) {
    const bool is_server = server != draft.servers.end() && *server == static_cast<int>(rank);
    if (is_server) ++server;
    is_model[rank] = !is_server && !participants[rank].serves;
    if (!is_model[rank]) {
      assignment.component_of.push_back(-1);
      continue;
    }
    const std::string& name = participants[rank].component;
    const auto [place, is_new] = known.try_emplace(name, static_cast<int>(known.size()));
    if (is_new) {
      assignment.components.push_back(name);
      assignment.ranks.emplace_back();
    }
    assignment.component_of.push_back(place->second);
    assignment.ranks[base::index(place->second)].push_back(static_cast<int>(rank));
  }
  if (assignment.components.empty())
    throw Error(ErrorCode::configuration,
                "there are only servers and no model rank; start a model beside them");
  if (options.mode == settings::Mode::dedicated) {
    assign_to_nearest(participants, is_model, draft);
  } else if (options.mode != settings::Mode::off) {
    for (std::size_t rank = 0; rank < size; ++rank) {
      if (!is_model[rank]) continue;
      draft.server_of[rank] = static_cast<int>(draft.servers.size());
      draft.servers.push_back(static_cast<int>(rank));
    }
  }
  assignment.servers = draft.servers;
  assignment.server_of = draft.server_of;
  return assignment;
}

std::vector<std::pair<int, int>> clients_of(const Assignment& assignment, int server, std::size_t component) {
  std::vector<std::pair<int, int>> clients;
  for (const auto& [first, end] : assignment.server_of.stretches_of(server))
    for (std::size_t rank = first; rank < end; ++rank)
      if (assignment.component_of[rank] == static_cast<int>(component))
        clients.emplace_back(static_cast<int>(*assignment.ranks[component].find(static_cast<int>(rank))),
                             static_cast<int>(rank));
  return clients;
}

void put_assignment(base::ByteWriter& writer, const Assignment& assignment) {
  assignment.servers.put(writer);
  assignment.server_of.put(writer);
  assignment.component_of.put(writer);
  writer.put(static_cast<std::int32_t>(assignment.components.size()));
  for (std::size_t c = 0; c < assignment.components.size(); ++c) {
    writer.put_text(assignment.components[c]);
    assignment.ranks[c].put(writer);
  }
}

Assignment get_assignment(base::ByteReader& reader) {
  Assignment assignment;
  assignment.servers = StridedRuns::get(reader);
  assignment.server_of = StridedRuns::get(reader);
  assignment.component_of = StridedRuns::get(reader);
  for (auto left = reader.get<std::int32_t>(); left > 0; --left) {
    assignment.components.push_back(reader.get_text());
    assignment.ranks.push_back(StridedRuns::get(reader));
  }
  return assignment;
}

}  // namespace tailrace::handshake
