// Tests the setup of one server of a large run, without running other servers or clients.
#include <gmock/gmock.h>

#include <ctime>
#include <numeric>

#include "pipeline/served_component.hpp"
#include "plan/declared.hpp"
#include "server/executor.hpp"
#include "server/intake.hpp"
#include "server/tests/counted_memory.hpp"
#include "server/tests/large_run.hpp"
#include "server/tests/one_rank.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server::testing {
namespace {

constexpr std::size_t megabyte = 1000000;

struct Cost {
  std::size_t held = 0, peak = 0;
  double seconds = 0.0;
};

// From the message of the first rank to the first step, with a hundred clients, on the server that keeps a
// copy of what was declared besides.
Cost set_up(const LargeRun& run) {
  pipeline::ComponentInfo info = run.info();
  const auto declarations = info.declarations.to_bytes();
  const auto decomposition = info.decomposition.to_bytes();
  info.declarations = {};
  info.decomposition = {};
  OneRank servers(1, run.servers());
  const auto bell = transport::make_heap_doorbell();
  telemetry::ServerCounters counters;
  const CountedMemory memory;
  const std::clock_t begin = std::clock();
  messaging::Messenger messenger(servers);
  Executor executor(0, *bell);
  info.declarations = model::Declarations::from_bytes(declarations);
  info.decomposition = model::Decomposition::from_bytes(decomposition);
  const std::string declared = plan::to_json({info.declarations, info.decomposition});
  pipeline::ServedComponent served(std::move(info), messenger,
                                   sinks::SinkServices{executor, counters, nullptr, nullptr, 0.0});
  std::vector<int> clients(100);
  std::iota(clients.begin(), clients.end(), 100);
  served.create_files(clients);
  std::vector<Link> links;
  for (const int client : clients) {
    auto ends = transport::loopback::make({{.bytes = 4096}, {}}, *bell);
    links.push_back({client, std::move(ends.consumer)});
  }
  Intake intake("many", std::move(links), {.executor = executor, .receiver = served, .counters = counters});
  served.start(clients, &intake);
  served.begin_step({1, 10.0});
  return {memory.held(), memory.peak(), static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
}

TEST(ServerOfManyRanks, sets_up_with_little_memory_and_time) {
  ASSERT_EQ(LargeRun(1024).expressions().size(), 319u);
  const Cost small = set_up(LargeRun(1024)), large = set_up(LargeRun(many_ranks));
  RecordProperty("megabytes", static_cast<int>(large.peak / megabyte));
  RecordProperty("milliseconds", static_cast<int>(large.seconds * 1e3));
  EXPECT_LT(large.peak, 300 * megabyte);
  // Each rank costs its regions of the model's grids, regardless of the number of diagnostics.
  EXPECT_LT(large.peak - small.peak, many_ranks * 2048u);
  EXPECT_LT(set_up(LargeRun(3 * many_ranks)).peak, 300 * megabyte);
  EXPECT_LT(large.seconds, 32 * small.seconds + 1.0);
}

}  // namespace
}  // namespace tailrace::server::testing
