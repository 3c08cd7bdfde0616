#include "messaging/collectives/polled_allreduce.hpp"

#include <gmock/gmock.h>

#include "base/bytes.hpp"
#include "messaging/testing/ranks_in_threads.hpp"

namespace tailrace::messaging {
namespace {

TEST(PolledAllreduce, no_rank_takes_more_than_a_few_words) {
  constexpr int ranks = 200;
  testing::Mailboxes mail(ranks);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    PolledTree tree(world, {7, 8}, {});
    std::int64_t sum = world.rank();
    const auto say = [&] {
      base::ByteWriter writer;
      writer.put(sum);
      return writer.take();
    };
    const auto answer = allreduce(
        tree,
        {[&](std::span<const std::byte> word) { sum += base::ByteReader(word).get<std::int64_t>(); }, say,
         say, [] { std::this_thread::yield(); }},
        "");
    EXPECT_EQ(base::ByteReader(answer).get<std::int64_t>(), ranks * (ranks - 1) / 2);
    synchronize(tree, [] { std::this_thread::yield(); });
  });
  EXPECT_THAT(thrown, ::testing::Each(::testing::IsEmpty()));
  for (int rank = 0; rank < ranks; ++rank) EXPECT_LE(mail.received(rank), 2 * (tree_width + 1u));
}

TEST(PolledAllreduce, some_of_the_ranks_are_a_tree_of_their_own) {
  constexpr int ranks = 60;
  testing::Mailboxes mail(ranks);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    std::vector<int> mates;
    for (int rank = world.rank() % 3; rank < ranks; rank += 3) mates.push_back(rank);
    PolledTree tree(world, {7, 8}, mates);
    int count = 1;
    const auto say = [&] { return std::vector<std::byte>(static_cast<std::size_t>(count)); };
    const auto answer =
        allreduce(tree,
                  {[&](std::span<const std::byte> word) { count += static_cast<int>(word.size()); }, say, say,
                   [] { std::this_thread::yield(); }},
                  "");
    EXPECT_EQ(answer.size(), ranks / 3u);
  });
  EXPECT_THAT(thrown, ::testing::Each(::testing::IsEmpty()));
}

TEST(PolledAllreduce, all_ranks_fail_alike_where_the_first_has_no_answer) {
  testing::Mailboxes mail(40);
  const auto thrown = testing::on_ranks(mail, [](comm::Communicator& world) {
    PolledTree tree(world, {7, 8}, {});
    const auto nothing = [] { return std::vector<std::byte>(); };
    allreduce(tree,
              {[](std::span<const std::byte>) {}, nothing,
               []() -> std::vector<std::byte> { throw Error(ErrorCode::configuration, "line 3 is wrong"); },
               [] { std::this_thread::yield(); }},
              "the first tells why");
  });
  EXPECT_EQ(thrown[0], "line 3 is wrong");
  for (std::size_t rank = 1; rank < thrown.size(); ++rank) EXPECT_EQ(thrown[rank], "the first tells why");
}

}  // namespace
}  // namespace tailrace::messaging
