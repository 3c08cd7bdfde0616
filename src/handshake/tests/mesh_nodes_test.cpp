#include "handshake/ready/mesh_nodes.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "base/index.hpp"
#include "messaging/collectives/polled_tree.hpp"
#include "messaging/testing/ranks_in_threads.hpp"

namespace tailrace::handshake {
namespace {

using client::GivenNodes;
using messaging::testing::Mailboxes;
using messaging::testing::on_ranks;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int ranks = 21, x_field = 3, y_field = 8;

double x_of(std::int64_t node) { return std::sin(static_cast<double>(node)); }
double y_of(std::int64_t node) { return node == 5 ? -0.0 : std::cos(static_cast<double>(node)); }

// Each node with some of the ranks, in no order.
std::vector<GivenNodes> dealt_out(std::int64_t nodes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::set<std::int64_t>> numbers(ranks);
  for (std::int64_t node = 0; node < nodes; ++node)
    for (auto times = 1 + random() % 3; times > 0; --times) numbers[random() % ranks].insert(node);
  std::vector<GivenNodes> given;
  for (const auto& own : numbers) {
    GivenNodes& of_rank = given.emplace_back(GivenNodes{"mesh", nodes, x_field, y_field, {}, {}, {}});
    of_rank.numbers.assign(own.begin(), own.end());
    std::shuffle(of_rank.numbers.begin(), of_rank.numbers.end(), random);
    for (const std::int64_t node : of_rank.numbers) {
      of_rank.x.push_back(x_of(node));
      of_rank.y.push_back(y_of(node));
    }
  }
  return given;
}

std::vector<double> doubles(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

// Through the real exchange: what each rank is to hand over.
struct Outcome {
  std::vector<std::vector<client::StaticValues>> values;
  std::string error;
};
Outcome exchange(const std::vector<std::vector<GivenNodes>>& given) {
  Outcome outcome;
  outcome.values.resize(ranks);
  Mailboxes mail(ranks);
  const auto thrown = on_ranks(mail, [&](comm::Communicator& component) {
    const auto rank = base::index(component.rank());
    messaging::PolledTree tree(component);
    NodeExchange exchange(component, given[rank]);
    const auto nap = [] { std::this_thread::yield(); };
    EXPECT_FALSE(messaging::barrier(
        tree, [&] { return exchange.progress(); }, nap));
    auto findings = exchange.shares().join();
    for (std::size_t child = 0; child < tree.children(); ++child)
      add_findings(findings, messaging::receive_from_child(tree, child, nap));
    outcome.values[rank] = exchange.shares().values();
    if (!tree.is_first()) return tree.up(findings_message(findings));
    refuse_findings(findings, given[rank]);
  });
  outcome.error = thrown[0];
  return outcome;
}

Outcome exchange(const std::vector<GivenNodes>& given) {
  std::vector<std::vector<GivenNodes>> one_mesh;
  for (const GivenNodes& of_rank : given) one_mesh.push_back({of_rank});
  return exchange(one_mesh);
}

TEST(MeshNodes, come_together_in_order_whoever_gave_them) {
  for (const std::int64_t nodes : {7, 100, 5000}) {
    const Outcome outcome = exchange(dealt_out(nodes, static_cast<unsigned>(nodes)));
    EXPECT_THAT(outcome.error, IsEmpty());
    std::vector<double> x, y;
    for (const auto& of_rank : outcome.values)
      for (const client::StaticValues& values : of_rank) {
        auto& all = values.field == x_field ? x : y;
        const auto part = doubles(values.bytes);
        EXPECT_LE(std::ssize(part), nodes / ranks + 1) << "no rank has more than its share";
        all.insert(all.end(), part.begin(), part.end());
      }
    ASSERT_EQ(std::ssize(x), nodes);
    ASSERT_EQ(std::ssize(y), nodes);
    for (std::int64_t node = 0; node < nodes; ++node) {
      const auto at = base::index(node);
      ASSERT_EQ(x[at], x_of(node));
      ASSERT_EQ(std::signbit(y[at]), std::signbit(y_of(node))) << "to the last bit";
    }
  }
}

TEST(MeshNodes, of_two_meshes_are_kept_apart) {
  const auto small = dealt_out(60, 1), large = dealt_out(300, 2);
  std::vector<std::vector<GivenNodes>> both;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    both.push_back({small[rank], large[rank]});
    both.back()[1].x_field = 20;
    both.back()[1].y_field = 21;
  }
  const Outcome outcome = exchange(both);
  EXPECT_THAT(outcome.error, IsEmpty());
  std::map<int, std::size_t> values;
  for (const auto& of_rank : outcome.values)
    for (const client::StaticValues& given : of_rank)
      values[given.field] += given.bytes.size() / sizeof(double);
  EXPECT_THAT(values, ::testing::ElementsAre(std::pair(3, 60u), std::pair(8, 60u), std::pair(20, 300u),
                                             std::pair(21, 300u)));
}

TEST(MeshNodes, that_two_ranks_give_differently_are_refused) {
  auto given = dealt_out(400, 3);
  const auto is_here = [&](int rank, std::int64_t node) {
    return std::ranges::count(given[base::index(rank)].numbers, node) > 0;
  };
  for (const int rank : {6, 17})  // both have it, and nobody below 6
    if (!is_here(rank, 333)) {
      GivenNodes& of_rank = given[base::index(rank)];
      of_rank.numbers.push_back(333);
      of_rank.x.push_back(x_of(333));
      of_rank.y.push_back(y_of(333));
    }
  for (int rank = 0; rank < ranks; ++rank) {
    GivenNodes& of_rank = given[base::index(rank)];
    for (std::size_t i = 0; i < of_rank.numbers.size(); ++i)
      if (of_rank.numbers[i] == 333) {
        of_rank.x[i] = 1.5;
        of_rank.y[i] = rank == 17 ? 0.25 : 0.5;
        if (rank != 6 && rank != 17)
          of_rank.numbers[i] = 332, of_rank.x[i] = x_of(332), of_rank.y[i] = y_of(332);
      }
  }
  EXPECT_EQ(
      exchange(given).error,
      "mesh \"mesh\": rank 6 gives node 333 (counted from 0) at (1.5, 0.5), but rank 17 at (1.5, 0.25); "
      "ranks that share a node must give the same bits");
}

TEST(MeshNodes, that_differ_in_the_sign_of_zero_or_in_a_nan_are_judged_by_their_bits) {
  auto given = dealt_out(50, 4);
  for (GivenNodes& of_rank : given)
    for (std::size_t i = 0; i < of_rank.numbers.size(); ++i)
      if (of_rank.numbers[i] == 5) of_rank.y[i] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(exchange(given).error, IsEmpty());
  bool first = true;
  for (int rank : {2, 9}) {
    GivenNodes& of_rank = given[base::index(rank)];
    const auto at = std::ranges::find(of_rank.numbers, 5) - of_rank.numbers.begin();
    if (at == std::ssize(of_rank.numbers)) {
      of_rank.numbers.push_back(5);
      of_rank.x.push_back(0);
      of_rank.y.push_back(0);
    }
    of_rank.y[base::index(at)] = std::exchange(first, false) ? 0.0 : -0.0;
  }
  EXPECT_THAT(exchange(given).error, HasSubstr("node 5 (counted from 0)"));
}

TEST(MeshNodes, that_nobody_gives_are_counted) {
  auto given = dealt_out(400, 5);
  const std::set<std::int64_t> missing{37, 38, 399};
  for (GivenNodes& of_rank : given)
    for (std::size_t i = of_rank.numbers.size(); i-- > 0;)
      if (missing.contains(of_rank.numbers[i])) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        of_rank.numbers.erase(of_rank.numbers.begin() + at);
        of_rank.x.erase(of_rank.x.begin() + at);
        of_rank.y.erase(of_rank.y.begin() + at);
      }
  EXPECT_EQ(exchange(given).error,
            "mesh \"mesh\": no rank gives 3 of its 400 nodes, the first of them node 37 (counted from 0)");
}

TEST(MeshNodes, of_a_damaged_packet_are_refused) {
  const std::vector<GivenNodes> given{{"mesh", 40, x_field, y_field, {3}, {1}, {2}}};
  const std::vector<NodePacket> packets = node_packets(given, ranks);
  ASSERT_EQ(packets.size(), 1u);
  for (const std::size_t at : {std::size_t{0}, std::size_t{4}, std::size_t{12}}) {  // mesh, count, place
    auto bytes = packets[0].bytes;
    bytes[at] = std::byte{77};
    NodeShares shares(given, packets[0].to, ranks);
    shares.take(0, bytes);
    EXPECT_THROW(shares.join(), Error) << "byte " << at;
  }
}

}  // namespace
}  // namespace tailrace::handshake
