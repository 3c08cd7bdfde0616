// Tests the cost of the nodes of a mesh if each rank gives those of its own cells.
#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "handshake/ready/mesh_nodes.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "server/tests/counted_memory.hpp"
#include "server/tests/large_run.hpp"

namespace tailrace::server::testing {
namespace {

constexpr std::int64_t many_nodes = 10000000;
constexpr std::int64_t seam = 40;  // nodes that a rank shares with its neighbour

// A strip: the nodes of a rank's own cells, and the seams to both sides. `scattered`: numbered at random
// within the whole mesh.
struct Part {
  std::vector<std::int64_t> numbers;
  std::vector<double> x, y;
  std::vector<std::int32_t> faces;
};
Part part_of(int rank, int ranks, std::int64_t nodes, bool scattered) {
  const std::int64_t begin = std::max<std::int64_t>(0, nodes * rank / ranks - seam),
                     end = std::min(nodes, nodes * (rank + 1) / ranks + seam);
  Part part;
  for (std::int64_t node = begin; node < end; ++node) {
    // A step that no extent here has a divisor in common with, so that each number comes once.
    part.numbers.push_back(scattered ? node * 7368787 % nodes : node);
    part.x.push_back(0.1 * static_cast<double>(node));
    part.y.push_back(180.0 * static_cast<double>(node) / static_cast<double>(nodes) - 90.0);
    part.faces.push_back(static_cast<std::int32_t>(part.numbers.back()));
  }
  part.faces.resize(part.faces.size() / 3 * 3);
  return part;
}

client::Declarer declarer_of(const Part& part, int rank, int ranks, std::int64_t nodes) {
  client::Declarer declarer("ocean", rank, ranks);
  const std::int64_t cells = std::ssize(part.faces) / 3;
  std::vector<std::int64_t> indices(static_cast<std::size_t>(cells));
  std::iota(indices.begin(), indices.end(), cells * rank);
  client::GridArguments grid;
  grid.name = "ico";
  grid.dims = {"cell"};
  grid.shape = {cells * ranks};
  grid.indexed_dim = "cell";
  grid.indices = indices;
  declarer.grid(grid);
  declarer.mesh("ico", {"mesh", part.x, part.y, 3, part.faces, nodes, part.numbers});
  return declarer;
}

struct Cost {
  std::size_t peak = 0;     // bytes
  std::size_t packets = 0;  // sent and taken
  std::size_t message = 0;  // to the servers
  std::size_t own = 0;      // bytes of the nodes given
};

// The cost of a rank in the middle, with all packets that others send to it.
Cost cost(int ranks, std::int64_t nodes, bool scattered) {
  const int rank = ranks / 2;
  std::vector<std::vector<std::byte>> taken;
  std::vector<int> senders;
  const client::NodeShare share = client::node_share(nodes, rank, ranks);
  const auto collect = [&](int sender) {
    const Part part = part_of(sender, ranks, nodes, scattered);
    for (auto& packet : handshake::node_packets({{"mesh", nodes, 0, 1, part.numbers, part.x, part.y}}, ranks))
      if (packet.to == rank) {
        senders.push_back(sender);
        taken.push_back(std::move(packet.bytes));
      }
  };
  if (scattered) {
    for (int sender = 0; sender < ranks; ++sender) collect(sender);
  } else {
    for (int sender = rank - 1; sender <= rank + 1; ++sender) collect(sender);
  }
  const Part part = part_of(rank, ranks, nodes, scattered);
  Cost cost;
  cost.own = part.numbers.size() * 3 * sizeof(double);
  const CountedMemory memory;
  const client::Declarer declarer = declarer_of(part, rank, ranks, nodes);
  const auto packets = handshake::node_packets(declarer.given_nodes(), ranks);
  cost.packets = packets.size() + taken.size();
  handshake::NodeShares shares(declarer.given_nodes(), rank, ranks);
  for (std::size_t i = 0; i < taken.size(); ++i) shares.take(senders[i], std::move(taken[i]));
  const auto findings = shares.join();
  EXPECT_EQ(findings[0].missing, 0);
  EXPECT_EQ(findings[0].conflict, "");
  EXPECT_EQ(std::ssize(shares.values()[0].bytes), share.count * 8);
  cost.peak = memory.peak();
  cost.message = declarer.declarations().to_bytes().size();
  return cost;
}

TEST(MeshOfManyRanks, no_rank_has_more_than_its_own_nodes_and_a_share) {
  for (const int ranks : {1000, 10000, 100000}) {
    const Cost of_one = cost(ranks, many_nodes, false);
    EXPECT_LT(of_one.peak, 6 * of_one.own + 20000) << ranks << " ranks";
    EXPECT_LE(of_one.packets, 6u) << ranks << " ranks: neighbours only";
    EXPECT_LT(of_one.message, 1000u) << "the servers' message has no node";
  }
}

TEST(MeshOfManyRanks, numbers_without_order_cost_messages_but_no_memory) {
  constexpr int ranks = many_ranks / 8;
  const Cost in_order = cost(ranks, many_nodes / 8, false), scattered = cost(ranks, many_nodes / 8, true);
  EXPECT_LE(scattered.packets, 2 * (many_nodes / 8 / ranks + 2 * seam) + 2 * seam * 4);
  EXPECT_LT(scattered.peak, 6 * in_order.peak);
}

}  // namespace
}  // namespace tailrace::server::testing
