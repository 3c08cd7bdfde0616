// `ready` of many ranks, all of which are there; the servers only listen.
#include "handshake/ready.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/testing/ranks_in_threads.hpp"

namespace tailrace::handshake {
namespace {

using messaging::testing::Mailboxes;
using messaging::testing::on_ranks;
using messaging::testing::ThreadRank;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int ranks = 40, servers = 2;
constexpr const char* configuration = R"(
tailrace: 1
fields: {all: {every: 1 step, names: [t]}}
output: {t.nc: {format: memory, variables: [{field: t, every: 1 step}]}}
)";

// Two cells a rank, and a mesh of a strip of quadrilaterals whose nodes come in parts.
client::Declarer declared(int rank) {
  client::Declarer declarer("ocean", rank, ranks);
  const std::vector<std::int64_t> cells{2 * rank, 2 * rank + 1};
  client::GridArguments grid;
  grid.name = "strip";
  grid.dims = {"cell"};
  grid.shape = {2 * ranks};
  grid.indexed_dim = "cell";
  grid.indices = cells;
  declarer.grid(grid);
  std::vector<std::int64_t> numbers;
  std::vector<double> x, y;
  for (std::int64_t node = 4 * rank; node < 4 * rank + 6; ++node) {
    numbers.push_back(node);
    x.push_back(static_cast<double>(node / 2));
    y.push_back(static_cast<double>(node % 2));
  }
  const std::int32_t f = 4 * rank;
  const std::vector<std::int32_t> faces{f, f + 2, f + 3, f + 1, f + 2, f + 4, f + 5, f + 3};
  declarer.mesh("strip", {"mesh", x, y, 4, faces, 4 * ranks + 2, numbers});
  model::Field field;
  field.name = "t";
  declarer.field("strip", field);
  return declarer;
}

struct Job {
  Mailboxes component{ranks}, world{ranks + servers};

  // Each rank has its own.
  Started started(int rank) {
    Started started;
    started.component = std::make_unique<ThreadRank>(component, rank);
    started.world = std::make_unique<ThreadRank>(world, rank);
    started.number = 0;
    started.run.sources = {{{"run.yaml", configuration}}};
    started.run.configurations.push_back(settings::parse_configuration(started.run.sources.front(), nullptr));
    started.run.assignment.servers = {ranks, ranks + 1};
    return started;
  }
  // The fault that the first server receives and passes on.
  std::optional<base::Fault> told() {
    const auto letter = world.find(ranks, 0, static_cast<int>(Tag::ready), true);
    base::ByteReader reader(letter->bytes);
    EXPECT_EQ(reader.get<std::int32_t>(), 0) << "the component's number";
    return get_fault(reader);
  }
};

void nap() { std::this_thread::yield(); }

TEST(Ready, all_agree_and_share_the_nodes_out) {
  Job run;
  std::vector<Agreement> agreed(ranks);
  const auto thrown = on_ranks(run.component, [&](comm::Communicator& component) {
    Started started = run.started(component.rank());
    client::Declarer declarer = declared(component.rank());
    agreed[base::index(component.rank())] = agree_on_declarations(started, declarer, {}, nap, nap);
  });
  EXPECT_THAT(thrown, Each(IsEmpty()));
  EXPECT_FALSE(run.told());
  EXPECT_TRUE(agreed[0].plan);
  std::vector<double> x;
  for (const Agreement& of_rank : agreed) {
    ASSERT_EQ(of_rank.nodes.size(), 2u);
    std::vector<double> part(of_rank.nodes[0].bytes.size() / sizeof(double));
    std::memcpy(part.data(), of_rank.nodes[0].bytes.data(), of_rank.nodes[0].bytes.size());
    x.insert(x.end(), part.begin(), part.end());
  }
  ASSERT_EQ(x.size(), 4u * ranks + 2);
  for (std::size_t node = 0; node < x.size(); ++node) EXPECT_EQ(x[node], static_cast<double>(node / 2));
}

// Before it has passed anything on.
TEST(Ready, all_hear_of_a_rank_that_gives_up_while_it_waits) {
  for (const int quitter : {0, 1, 5, 8, 37}) {
    ASSERT_FALSE(messaging::TreePlace(quitter, ranks).children.empty());
    Job run;
    const auto thrown = on_ranks(run.component, [&](comm::Communicator& component) {
      Started started = run.started(component.rank());
      client::Declarer declarer = declared(component.rank());
      const auto meanwhile = [&] {
        if (component.rank() == quitter) throw Error(ErrorCode::lost, "the server is gone");
        nap();
      };
      // Whom it waits for comes late.
      if (messaging::TreePlace(component.rank(), ranks).parent == quitter)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      agree_on_declarations(started, declarer, {}, meanwhile, nap);
    });
    EXPECT_THAT(thrown, Each(HasSubstr("the server is gone"))) << "of rank " << quitter;
    EXPECT_TRUE(run.told());
  }
}

// A rank may give up at any time. Whatever the others have agreed on by then, no rank waits indefinitely,
// and the ranks below it learn of it.
TEST(Ready, nobody_waits_for_a_rank_that_has_given_up) {
  for (const int quitter : {0, 1, 5, 6, 39})
    for (const int patience : {1, 4, 20}) {
      Job run;
      std::atomic<bool> quit = false;
      const auto thrown = on_ranks(run.component, [&](comm::Communicator& component) {
        Started started = run.started(component.rank());
        int turns = 0;
        const auto meanwhile = [&] {
          if (component.rank() == quitter && ++turns > patience) {
            quit = true;
            throw Error(ErrorCode::lost, "the server is gone");
          }
          nap();
        };
        client::Declarer declarer = declared(component.rank());
        agree_on_declarations(started, declarer, {}, meanwhile, nap);
      });
      if (!quit) continue;  // it had nothing to wait for
      const messaging::TreePlace place(quitter, ranks);
      for (int rank = quitter; rank < place.end; ++rank)
        EXPECT_THAT(thrown[base::index(rank)], HasSubstr("the server is gone"));
    }
}

TEST(Ready, all_hear_of_a_rank_that_leaves_before) {
  for (const int leaver : {0, 1, 5, 6, 39}) {
    Job run;
    const auto thrown = on_ranks(run.component, [&](comm::Communicator& component) {
      Started started = run.started(component.rank());
      if (component.rank() == leaver)
        return report_never_ready(started, {ErrorCode::lost, "left before ready"});
      client::Declarer declarer = declared(component.rank());
      agree_on_declarations(started, declarer, {}, nap, nap);
    });
    for (int rank = 0; rank < ranks; ++rank)
      EXPECT_THAT(thrown[base::index(rank)], rank == leaver ? ::testing::Matcher<std::string>(IsEmpty())
                                                            : HasSubstr("left before ready"))
          << "rank " << rank << " when " << leaver << " leaves";
    EXPECT_TRUE(run.told());
  }
}

}  // namespace
}  // namespace tailrace::handshake
