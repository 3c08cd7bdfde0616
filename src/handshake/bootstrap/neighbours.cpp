#include "handshake/bootstrap/neighbours.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "handshake/placement/cpu_ranges.hpp"
#include "messaging/collectives/polled_allreduce.hpp"

namespace tailrace::handshake {
namespace {

std::vector<int> ranks_of_node(const StridedRuns& nodes, int rank) {
  std::vector<int> ranks;
  for (const auto& [first, end] : nodes.stretches_of(nodes[base::index(rank)]))
    for (std::size_t one = first; one < end; ++one) ranks.push_back(static_cast<int>(one));
  return ranks;
}

}  // namespace

void meet_neighbours(comm::Communicator& world, const std::vector<int>& cpus, Run& run,
                     const std::function<void()>& meanwhile) {
  base::ByteWriter all;  // the entries of this rank and those below it
  all.put(static_cast<std::int32_t>(world.rank()));
  all.put(transport::this_process());
  all.put_all(std::span<const int>(cpus));
  messaging::PolledTree tree(world, {static_cast<int>(Tag::node_up), static_cast<int>(Tag::node_down)},
                             ranks_of_node(run.nodes, world.rank()));
  const auto take = [&] { return all.take(); };
  const auto answer = messaging::allreduce(
      tree, {[&](std::span<const std::byte> message) { all.put_bytes(message); }, take, take, meanwhile}, "");
  base::ByteReader reader(answer);
  while (!reader.rest().empty()) {
    const auto rank = reader.get<std::int32_t>();
    run.processes[rank] = reader.get<transport::ProcessId>();
    run.cpus_on_node.push_back({rank, from_ranges(reader.get_all<int>())});
  }
  while (!tree.sent()) meanwhile();
}

}  // namespace tailrace::handshake
