#include "messaging/collectives/polled_tree.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>

#include "base/index.hpp"
#include "messaging/testing/ranks_in_threads.hpp"

namespace tailrace::messaging {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Mailboxes;
using testing::on_ranks;

void nap() { std::this_thread::yield(); }

TEST(PolledTree, nobody_goes_on_before_all_are_through) {
  for (const int ranks : {1, 2, 17, 40}) {
    Mailboxes mail(ranks);
    std::atomic<int> through = 0;
    const auto thrown = on_ranks(mail, [&](comm::Communicator& component) {
      PolledTree tree(component);
      int turns = 0;
      bool counted = false;
      const auto fault = barrier(
          tree,
          [&] {
            if (++turns <= component.rank() || counted) return counted;
            ++through;
            return counted = true;
          },
          nap);
      EXPECT_FALSE(fault);
      EXPECT_EQ(through.load(), ranks);
    });
    EXPECT_THAT(thrown, ::testing::Each(IsEmpty()));
  }
}

TEST(PolledTree, a_rank_takes_few_words_however_many_there_are) {
  Mailboxes mail(200);
  on_ranks(mail, [](comm::Communicator& component) {
    PolledTree tree(component);
    barrier(
        tree, [] { return true; }, nap);
  });
  for (int rank = 0; rank < mail.ranks(); ++rank)
    EXPECT_LE(mail.received(rank), tree_width + 1u) << "rank " << rank;
}

// Any rank may give up: all others learn of it, and no rank waits indefinitely.
TEST(PolledTree, all_hear_of_a_rank_that_gives_up) {
  constexpr int ranks = 40;
  for (const int leaver : {0, 1, 3, 5, 6, 39}) {
    Mailboxes mail(ranks);
    const auto thrown = on_ranks(mail, [&](comm::Communicator& component) {
      PolledTree tree(component);
      if (component.rank() == leaver) return tree.give_up({ErrorCode::lost, "went away"});
      try {
        const auto fault = barrier(
            tree, [] { return true; }, nap);
        ASSERT_TRUE(fault);
        throw Error(fault->code, fault->message);
      } catch (const Error& error) {
        if (tree.is_first()) tree.give_up({error.code(), error.what()});
        throw;
      }
    });
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_THAT(thrown[base::index(rank)],
                  rank == leaver ? ::testing::Matcher<std::string>(IsEmpty()) : HasSubstr("went away"))
          << "rank " << rank << " when " << leaver << " leaves";
    if (leaver != 0) {
      EXPECT_EQ(thrown[0], fmt::format("rank {} of the component went away", leaver));
    }
  }
}

}  // namespace
}  // namespace tailrace::messaging
