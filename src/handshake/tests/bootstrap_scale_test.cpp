// Tests that the messages of a rank in `start` stay few and small for any number of ranks.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "handshake/bootstrap/exchange.hpp"
#include "handshake/bootstrap/participant_list.hpp"
#include "handshake/tests/ranks_in_threads.hpp"
#include "messaging/collectives/tree_place.hpp"

namespace tailrace::handshake {
namespace {

constexpr int on_a_node = 128;

using NodeOf = std::function<int(int rank)>;

Hello hello_of(int rank, const NodeOf& node_of) {
  return {false, rank % 9 == 8 && rank < 900 ? "ocean" : "atmosphere", fmt::format("nid{:06}", node_of(rank)),
          rank % on_a_node / 16, rank % on_a_node};
}

struct Called {
  ParticipantList roster;
  std::size_t most_bytes = 0;  // that a rank sends or receives
};

// Up the tree, as the ranks would.
Called call(int rank, int ranks, const NodeOf& node_of) {
  Called here{ParticipantList::of(hello_of(rank, node_of)), 0};
  std::size_t heard = 0;
  for (const int child : messaging::TreePlace(rank, ranks).children) {
    const Called below = call(child, ranks, node_of);
    const std::vector<std::byte> word = below.roster.to_bytes();
    heard += word.size();
    here.most_bytes = std::max(here.most_bytes, below.most_bytes);
    here.roster.add(ParticipantList::from_bytes(word));
  }
  here.most_bytes = std::max({here.most_bytes, heard, here.roster.to_bytes().size()});
  return here;
}

TEST(RollCallOfManyRanks, is_short_where_neighbours_have_much_in_common) {
  for (const bool in_turn : {false, true}) {
    std::size_t bytes_of_few = 0;
    for (const int ranks : {1000, 100'000}) {
      const int nodes = (ranks + on_a_node - 1) / on_a_node;
      const NodeOf node_of = [&](int rank) { return in_turn ? rank % nodes : rank / on_a_node; };
      const Called called = call(0, ranks, node_of);
      const std::vector<Participant> participants = called.roster.participants();
      ASSERT_EQ(participants.size(), static_cast<std::size_t>(ranks));
      for (const int rank : {0, 8, 127, 128, ranks - 1}) {
        const Participant& one = participants[base::index(rank)];
        EXPECT_EQ(one.component, hello_of(rank, node_of).component);
        EXPECT_EQ(one.node, in_turn ? node_of(rank) : rank / on_a_node * on_a_node);
        EXPECT_EQ(one.only_core, rank % on_a_node);
        EXPECT_EQ(one.domain, rank % on_a_node / 16);
      }
      EXPECT_THAT(first_ranks_of_components(participants), ::testing::ElementsAre(0, 8));
      settings::ServersOptions options;
      options.per_node = 1;
      base::ByteWriter writer;
      const Assignment assignment = place(participants, options);
      EXPECT_EQ(assignment.servers.size(), static_cast<std::size_t>(nodes));
      put_assignment(writer, assignment);
      const std::size_t told = writer.bytes().size();
      EXPECT_LT(called.most_bytes, 500'000u);
      EXPECT_LT(told, 150'000u);
      if (ranks == 1000)
        bytes_of_few = told + called.most_bytes;
      else
        EXPECT_LT(told + called.most_bytes, 100 * bytes_of_few);
    }
  }
}

TEST(Exchange, no_rank_takes_more_than_a_few_words) {
  constexpr int ranks = 200;
  testing::Mailboxes mail(ranks);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    Tree tree(world, {7, 8}, {});
    std::int64_t sum = world.rank();
    const auto say = [&] {
      base::ByteWriter writer;
      writer.put(sum);
      return writer.take();
    };
    const auto answer =
        exchange(tree,
                 {[&](std::span<const std::byte> word) { sum += base::ByteReader(word).get<std::int64_t>(); },
                  say, say, [] { std::this_thread::yield(); }},
                 "");
    EXPECT_EQ(base::ByteReader(answer).get<std::int64_t>(), ranks * (ranks - 1) / 2);
    synchronize(tree, [] { std::this_thread::yield(); });
  });
  EXPECT_THAT(thrown, ::testing::Each(::testing::IsEmpty()));
  for (int rank = 0; rank < ranks; ++rank) EXPECT_LE(mail.received(rank), 2 * (messaging::tree_width + 1u));
}

TEST(Exchange, some_of_the_ranks_are_a_tree_of_their_own) {
  constexpr int ranks = 60;
  testing::Mailboxes mail(ranks);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    std::vector<int> mates;
    for (int rank = world.rank() % 3; rank < ranks; rank += 3) mates.push_back(rank);
    Tree tree(world, {7, 8}, mates);
    int count = 1;
    const auto say = [&] { return std::vector<std::byte>(static_cast<std::size_t>(count)); };
    const auto answer =
        exchange(tree,
                 {[&](std::span<const std::byte> word) { count += static_cast<int>(word.size()); }, say, say,
                  [] { std::this_thread::yield(); }},
                 "");
    EXPECT_EQ(answer.size(), ranks / 3u);
  });
  EXPECT_THAT(thrown, ::testing::Each(::testing::IsEmpty()));
}

TEST(Exchange, all_ranks_fail_alike_where_the_first_has_no_answer) {
  testing::Mailboxes mail(40);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    Tree tree(world, {7, 8}, {});
    const auto nothing = [] { return std::vector<std::byte>(); };
    exchange(tree,
             {[](std::span<const std::byte>) {}, nothing,
              []() -> std::vector<std::byte> { throw Error(ErrorCode::configuration, "line 3 is wrong"); },
              [] { std::this_thread::yield(); }},
             "the first tells why");
  });
  EXPECT_EQ(thrown[0], "line 3 is wrong");
  for (std::size_t rank = 1; rank < thrown.size(); ++rank) EXPECT_EQ(thrown[rank], "the first tells why");
}

}  // namespace
}  // namespace tailrace::handshake
