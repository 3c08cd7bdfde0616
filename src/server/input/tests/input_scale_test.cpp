// The input of one server of a large run, without running other servers or clients.
#include <gmock/gmock.h>

#include <ctime>
#include <numeric>

#include "server/executor.hpp"
#include "server/input/input_service.hpp"
#include "server/input/tests/fake_entry.hpp"
#include "server/tests/counted_memory.hpp"
#include "server/tests/large_run.hpp"
#include "server/tests/one_rank.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::server::testing {
namespace {

constexpr std::size_t megabyte = 1000000;
constexpr int clients_of_a_server = 100;

struct Cost {
  std::size_t peak = 0;
  double seconds = 0.0;
};

std::vector<std::vector<int>> clients_of(const LargeRun& run) {
  std::vector<std::vector<int>> clients(base::index(run.servers()));
  for (int rank = 0; rank < run.ranks(); ++rank)
    clients[base::index(rank / clients_of_a_server)].push_back(rank);
  return clients;
}

// From the headers to the first record for each server, on the server that owns the entry.
Cost set_up(const LargeRun& run) {
  pipeline::ComponentInfo info = run.info();
  input::Entry entry;
  entry.name = "forcing";
  for (model::Field& field : info.declarations.fields) {
    field.is_input = field.name.starts_with("plane") || field.name.starts_with("block");
    if (field.is_input) entry.fields.emplace_back().name = field.name;
  }
  FakeFiles files;
  OneRank servers(0, run.servers());
  const auto bell = transport::make_heap_doorbell();
  telemetry::ServerCounters counters;
  const CountedMemory memory;
  const std::clock_t begin = std::clock();
  messaging::Messenger messenger(servers);
  Executor executor(0, *bell);
  InputService service(InputSetting{.component = 0,
                                    .declarations = info.declarations,
                                    .decomposition = info.decomposition,
                                    .calendar = test_calendar(),
                                    .entries = {entry},
                                    .begin = 0.0,
                                    .clients = clients_of(run),
                                    .reads_alone = false,
                                    .memory = 1,
                                    .make_reader =
                                        [&](const input::Entry& of, const std::vector<int>& fields) {
                                          return std::make_unique<FakeReader>(files, of, fields,
                                                                              info.declarations);
                                        }},
                       {messenger, executor, counters, *bell});
  while (!service.is_prepared()) service.prepare();
  std::vector<std::unique_ptr<transport::Consumer>> clients;
  for (int client = 0; client < clients_of_a_server; ++client) {
    auto ends = transport::loopback::make(
        {{.bytes = 65536, .at_most = false, .when_full = transport::WhenFull::fail}, {}}, *bell);
    service.accept(client, std::move(ends.producer));
    clients.push_back(std::move(ends.consumer));
  }
  service.start();
  const RecordCut cut(info.declarations, info.decomposition, clients_of(run));
  std::size_t bytes = 0;
  for (int server = 0; server < run.servers(); ++server)
    for (const input::PreparedField& field : service.fields()) bytes += cut.bytes(field, server);
  EXPECT_GT(bytes, megabyte);
  return {memory.peak(), static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC};
}

TEST(InputOfManyRanks, sets_up_with_little_memory_and_time) {
  const Cost small = set_up(LargeRun(1024)), large = set_up(LargeRun(many_ranks));
  RecordProperty("megabytes", static_cast<int>(large.peak / megabyte));
  RecordProperty("milliseconds", static_cast<int>(large.seconds * 1e3));
  EXPECT_LT(large.peak, 300 * megabyte);
  EXPECT_LT(large.peak - small.peak, many_ranks * 2048u);
  EXPECT_LT(large.seconds, 2.0);
}

}  // namespace
}  // namespace tailrace::server::testing
