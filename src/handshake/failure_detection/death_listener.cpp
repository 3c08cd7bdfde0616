#include "handshake/failure_detection/death_listener.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"

namespace tailrace::handshake {
namespace {

constexpr std::size_t most_peers = 2;
constexpr double seconds_for_watchers = 5.0;  // seconds

int node_of(const Run& run, int server) {
  return run.nodes[base::index(run.assignment.servers[base::index(server)])];
}

void log_unwatched(int server, const std::string& why) {
  base::log_info(
      fmt::format("server {}: {}; if it dies, ranks on other nodes that are not informed otherwise notice "
                  "only after `watchdog` that it does not answer",
                  server, why));
}

}  // namespace

std::vector<int> remote_clients_of(const Run& run, int server) {
  std::vector<int> far;
  const int own = run.assignment.servers[base::index(server)];
  for (const auto& [first, end] : run.assignment.server_of.stretches_of(server))
    for (std::size_t rank = first; rank < end; ++rank)
      if (static_cast<int>(rank) != own && run.nodes[rank] != node_of(run, server))
        far.push_back(static_cast<int>(rank));
  return far;
}

std::vector<int> watching_peers_of(const Run& run, int server) {
  const int count = static_cast<int>(run.assignment.servers.size());
  std::vector<int> peers, spare;
  std::set<int> nodes{node_of(run, server)};
  for (int step = 1; step < count && peers.size() < most_peers; ++step) {
    const int other = (server + step) % count;
    if (nodes.insert(node_of(run, other)).second)
      peers.push_back(other);
    else if (node_of(run, other) != node_of(run, server))
      spare.push_back(other);
  }
  for (std::size_t i = 0; i < spare.size() && peers.size() < most_peers; ++i) peers.push_back(spare[i]);
  return peers;
}

void put_address(base::ByteWriter& writer, const env::LifelineAddress& address) {
  writer.put(address.port);
  writer.put(address.secret);
  writer.put(static_cast<std::int32_t>(address.hosts.size()));
  for (const std::string& host : address.hosts) writer.put_text(host);
}

env::LifelineAddress get_address(base::ByteReader& reader) {
  env::LifelineAddress address;
  address.port = reader.get<std::uint16_t>();
  address.secret = reader.get<std::uint64_t>();
  for (auto left = reader.get<std::int32_t>(); left > 0; --left) address.hosts.push_back(reader.get_text());
  return address;
}

DeathListener::DeathListener(const Run& run, int server)
    : server_(server), peers_(watching_peers_of(run, server)) {
  ranks_ = remote_clients_of(run, server);
  if (ranks_.size() > most_watching_clients) ranks_.resize(most_watching_clients);
  for (const int peer : peers_) ranks_.push_back(run.assignment.servers[base::index(peer)]);
  std::sort(ranks_.begin(), ranks_.end());
  if (ranks_.empty()) return;
  try {
    env::maybe_fail("listen");
    end_.emplace();
    listens_until_ = env::steady_seconds() + seconds_for_watchers;
  } catch (const Error& error) {
    log_unwatched(server_, error.what());
  }
}

env::LifelineAddress DeathListener::address_for(int rank) const {
  return end_ && std::binary_search(ranks_.begin(), ranks_.end(), rank) ? end_->address()
                                                                        : env::LifelineAddress{};
}

void DeathListener::accept() {
  if (!end_ || !end_->listens()) return;
  connected_ = end_->take_in();
  const double now = env::steady_seconds();
  if (connected_ < ranks_.size() && now < listens_until_) return;
  end_->stop_listening();
  if (connected_ < ranks_.size())
    log_unwatched(server_,
                  fmt::format("{} of {} ranks on other nodes cannot connect to it by TCP to watch it",
                              ranks_.size() - connected_, ranks_.size()));
}

}  // namespace tailrace::handshake
