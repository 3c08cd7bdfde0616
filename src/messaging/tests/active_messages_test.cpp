#include "messaging/active_messages/active_messages.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/index.hpp"
#include "messaging/tests/active_messages_servers.hpp"
#include "messaging/tests/active_messages_stress.hpp"

namespace tailrace::messaging {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Numbers;
using testing::numbers_of;
using testing::Servers;

class Sizes : public ::testing::TestWithParam<int> {};

TEST_P(Sizes, EachOperationGivesItsResult) {
  const int size = GetParam();
  for (int root = 0; root<size; root += size> 5 ? 23 : 1) {
    Servers servers(size, static_cast<unsigned>(root));
    const Name name{3, 4};  // the same for all operations, which keep them apart
    std::map<std::string, std::vector<Numbers>> results;
    for (int rank = 0; rank < size; ++rank) {
      ActiveMessages& server = servers[rank];
      const auto note = [&results](const std::string& what) {
        return [&results, what](Bytes&& bytes) { results[what].push_back(numbers_of(bytes)); };
      };
      server.broadcast(name, root, rank == root ? bytes_of({7}) : Bytes{}, note("broadcast"));
      server.gather(name, root, bytes_of(Numbers(static_cast<std::size_t>(rank), rank)),
                    [&](std::vector<Bytes>&& by_server) {
                      for (const Bytes& bytes : by_server) results["gather"].push_back(numbers_of(bytes));
                    });
    }
    servers.settle();
    EXPECT_EQ(results["broadcast"], std::vector<Numbers>(GetParam(), Numbers{7}));
    ASSERT_EQ(results["gather"].size(), static_cast<std::size_t>(size));
    for (int rank = 0; rank < size; ++rank) {
      const auto at = base::index(rank);
      EXPECT_EQ(results["gather"][at], Numbers(at, rank));
      EXPECT_EQ(servers[rank].bytes(), 0U);
      EXPECT_EQ(servers[rank].describe(), "");
    }
    EXPECT_EQ(servers.finish(), "");
  }
}
INSTANTIATE_TEST_SUITE_P(Servers, Sizes, ::testing::Values(1, 2, 3, 5, 70));

class Seeds : public ::testing::TestWithParam<unsigned> {};

TEST_P(Seeds, ManyOperationsInAnyOrder) {
  const int size = 1 + static_cast<int>(GetParam() % 5);
  Servers servers(size, GetParam(), 4);
  std::vector<testing::Stress> stress;
  for (int rank = 0; rank < size; ++rank) stress.emplace_back(servers[rank], rank, size, GetParam(), 2000);
  std::vector<bool> finished(static_cast<std::size_t>(size));
  std::mt19937 random(GetParam());
  const auto over = [&] {
    return std::ranges::all_of(servers.servers,
                               [](const auto& server) { return server.unmatched.has_value(); });
  };
  for (int rounds = 0; !over(); ++rounds) {
    ASSERT_LT(rounds, 100000);
    const int rank = static_cast<int>(random() % static_cast<unsigned>(size));  // one may run far ahead
    const auto at = base::index(rank);
    if (!stress[at].issue() && !finished[at]) {
      finished[at] = true;
      servers.finish(rank);
    }
    servers.servers[at].messenger->progress();
    servers.servers[at].messages->progress();
  }
  for (int rank = 0; rank < size; ++rank) {
    const auto at = base::index(rank);
    EXPECT_GT(stress[at].expected(), 600);
    EXPECT_EQ(stress[at].completed(), stress[at].expected());
    EXPECT_EQ(servers.servers[at].unmatched, "");
    EXPECT_EQ(servers[rank].bytes(), 0U);
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Seeds, ::testing::Range(1U, 11U));

TEST(ActiveMessages, SmallContributionsTravelTogether) {
  Servers servers(2, 1, 0);
  int gathered = 0;
  for (int rank = 0; rank < 2; ++rank)
    for (int what = 0; what < 1000; ++what)
      servers[rank].gather({what, 0}, 1, bytes_of({what}), [&](std::vector<Bytes>&&) { ++gathered; });
  EXPECT_EQ(servers[0].describe(), "") << "its part is done";
  EXPECT_GE(servers[0].bytes(), 8000U) << "not yet sent";
  EXPECT_EQ(servers[1].bytes(), 8000U);
  EXPECT_EQ(servers.servers[0].messenger->bytes_in_flight(), 0U) << "nothing leaves before progress";
  EXPECT_TRUE(servers[0].progress());
  EXPECT_EQ(servers[0].bytes(), 0U);
  EXPECT_TRUE(servers.servers[1].messenger->progress());
  EXPECT_FALSE(servers.servers[1].communicator->probe(comm::any, comm::any)) << "all in one message";
  EXPECT_TRUE(servers[1].progress());
  EXPECT_EQ(gathered, 1000);
  EXPECT_FALSE(servers[0].progress());
}

TEST(ActiveMessages, LargeBundlesDoNotWait) {
  Servers servers(2, 1, 0);
  for (int what = 0; what < 3; ++what)
    servers[0].gather({what, 0}, 1, bytes_of(Numbers(100000)), nullptr);  // 0.8 MB each
  EXPECT_GT(servers.servers[0].messenger->bytes_in_flight(), 1600000U);
  EXPECT_LT(servers[0].bytes(), 1000000U);
}

TEST(ActiveMessages, KeepsWhatArrivesEarly) {
  Servers servers(3);
  for (const int rank : {1, 2}) servers[rank].gather({1, 0}, 0, bytes_of({rank}), nullptr);
  servers[1].broadcast({3, 0}, 1, bytes_of({1, 2, 3}), [](Bytes&&) {});
  servers[2].broadcast({2, 0}, 0, {}, [](Bytes&&) {});
  servers.settle();
  EXPECT_EQ(servers[0].bytes(), (2 + 3) * sizeof(std::int64_t));
  EXPECT_EQ(
      servers[0].describe(),
      "\n    server 0: gather of diagnostic 1 at step 0 was not issued here, but by servers 1 and 2"
      "\n    server 0: broadcast of diagnostic 3 at step 0 arrived from server 1, but was not expected here");
  EXPECT_THAT(servers[2].describe(), HasSubstr("broadcast of diagnostic 2 at step 0 waits for server 0"));
  std::vector<Numbers> results;
  servers[0].gather({1, 0}, 0, bytes_of({10}), [&](std::vector<Bytes>&& by_server) {
    for (const Bytes& bytes : by_server) results.push_back(numbers_of(bytes));
  });
  servers[0].broadcast({3, 0}, 1, {}, [&](Bytes&& bytes) { results.push_back(numbers_of(bytes)); });
  EXPECT_THAT(results, ElementsAre(Numbers{10}, Numbers{1}, Numbers{2}, Numbers{1, 2, 3}))
      << "within the calls";
  servers[2].broadcast({3, 0}, 1, {}, [](Bytes&&) {});
  for (const int rank : {0, 1}) servers[rank].broadcast({2, 0}, 0, {}, [](Bytes&&) {});
  EXPECT_EQ(servers.finish(), "");
}

TEST(ActiveMessages, LongChainsOfContinuationsDoNotUseUpTheStack) {
  for (const int size : {1, 2}) {
    Servers servers(size);
    const int length = size == 1 ? 100000 : 2000;
    std::vector<int> links(static_cast<std::size_t>(size));
    std::function<void(int)> link = [&](int rank) {
      int& count = links[base::index(rank)];
      if (count == length) return;
      servers[rank].broadcast({count++, 0}, 0, bytes_of({1}), [&, rank](Bytes&&) { link(rank); });
    };
    for (int rank = 0; rank < size; ++rank) link(rank);
    EXPECT_EQ(servers.finish(), "");
    EXPECT_THAT(links, ::testing::Each(length));
  }
}

TEST(ActiveMessages, AContinuationThatThrowsTakesNothingElseAlong) {
  Servers servers(2);
  std::vector<int> heard;
  for (int what = 0; what < 3; ++what) {
    servers[0].broadcast({what, 0}, 0, {}, nullptr);
    servers[1].broadcast({what, 0}, 0, {}, [&heard, what](Bytes&&) {
      heard.push_back(what);
      if (what == 1) throw Error(ErrorCode::internal, "thrown here");
    });
  }
  EXPECT_THROW(servers.settle(), Error);
  EXPECT_EQ(servers.finish(), "");
  EXPECT_THAT(heard, ElementsAre(0, 1, 2));
}

TEST(ActiveMessages, ProgressWithinAContinuationDoesNothing) {
  Servers servers(1);
  bool moved = true;
  servers[0].finish([&](const std::string&) { moved = servers[0].progress(); });
  servers.settle();
  EXPECT_FALSE(moved);
}

TEST(Finish, ListsWhatIsLeftUnmatchedOnEveryServer) {
  Servers servers(3);
  servers[1].broadcast({1, 5}, 2, {}, [](Bytes&&) {});
  servers[0].broadcast({2, 5}, 0, bytes_of({1}), [](Bytes&&) {});
  servers[1].broadcast({2, 5}, 0, {}, [](Bytes&&) {});
  servers[2].gather({3, 5}, 2, {}, nullptr);
  servers[1].gather({4, 5}, 0, {}, nullptr);
  const std::string text = servers.finish();
  EXPECT_EQ(text,
            "server 0: gather of diagnostic 4 at step 5 was not issued here, but by server 1\n"
            "server 1: broadcast of diagnostic 1 at step 5 waits for server 2\n"
            "server 2: broadcast of diagnostic 2 at step 5 arrived from server 0, but was not expected here\n"
            "server 2: gather of diagnostic 3 at step 5 waits for servers 0 and 1");
}

TEST(Finish, ListsNoMoreThanAnybodyReads) {
  Servers servers(2);
  for (int what = 0; what < 250; ++what) servers[0].broadcast({what, 0}, 1, {}, [](Bytes&&) {});
  const std::string text = servers.finish();
  EXPECT_EQ(std::ranges::count(text, '\n'), 100);
  EXPECT_THAT(text, HasSubstr("server 0: and 150 more"));
  EXPECT_EQ(std::ranges::count(servers[0].describe(), '\n'), 21);
}

TEST(Finish, WaitsForTheLastServer) {
  Servers servers(3);
  servers.finish(0);
  servers.finish(2);
  servers.settle();
  EXPECT_FALSE(servers.servers[0].unmatched);
  servers[1].gather({1, 0}, 0, {}, nullptr);
  servers.finish(1);
  servers.settle();
  for (const auto& server : servers.servers)
    EXPECT_EQ(server.unmatched,
              "server 0: gather of diagnostic 1 at step 0 was not issued here, but by server 1");
}

}  // namespace
}  // namespace tailrace::messaging
