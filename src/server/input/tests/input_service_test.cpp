// Servers with input fields and made-up files, from the headers to the clients' buffers.
#include "server/input/input_service.hpp"

#include <cmath>

#include "server/input/tests/input_bench.hpp"
#include "server/input/tests/random_model.hpp"

namespace tailrace::server {
namespace {

using testing::BenchOptions;
using testing::GotRecord;
using testing::InputBench;
using testing::RandomModel;

template <class T>
void expect_values(const RandomModel& model, int rank, int field, std::int64_t record, const GotRecord& got) {
  ASSERT_FALSE(got.fault.has_value()) << got.fault->message;
  std::vector<T> expected;
  for (const std::int64_t cell : model.cells_of(rank, field))
    expected.push_back(static_cast<T>(testing::fake_value(field, record, cell)));
  EXPECT_EQ(testing::as<T>(got.values), expected) << "rank " << rank << ", field " << field;
}

void expect_all_values(const RandomModel& model, const InputBench& bench) {
  for (std::size_t rank = 0; rank < bench.clients.size(); ++rank)
    for (const auto& [key, got] : bench.clients[rank]->got)
      if (key.first == RandomModel::ozone) {
        expect_values<float>(model, static_cast<int>(rank), key.first, key.second, got);
      } else {
        expect_values<double>(model, static_cast<int>(rank), key.first, key.second, got);
      }
}

// All clients of all servers at the same time, until they have what `linear` needs then.
void go_to(InputBench& bench, double time) {
  bench.times = {time, time, false};
  const auto place = static_cast<std::int64_t>(std::floor(time / 10));
  bench.until([&] {
    bool all = true;
    for (int field = 0; field < 4; ++field)
      for (std::int64_t next = place; next <= place + (time == 10.0 * static_cast<double>(place) ? 0 : 1);
           ++next)
        all = all && bench.has_all(field, next);
    return all;
  });
}

TEST(InputService, gives_each_client_its_cells_of_each_record_read_once) {
  for (unsigned seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    const int servers = 1 + static_cast<int>(seed % 3), ranks = 3 + static_cast<int>(seed % 4);
    const RandomModel model(seed, ranks);
    InputBench bench(model.declarations, model.decomposition, model.entries(),
                     {.servers = servers, .threads = static_cast<int>(seed % 2), .seed = seed});
    bench.begin();
    for (const double time : {0.0, 7.0, 14.0, 20.0, 33.0}) go_to(bench, time);
    bench.settle();
    bench.end();
    expect_all_values(model, bench);
    auto reads = bench.files.reads();
    std::ranges::sort(reads);
    EXPECT_TRUE(std::ranges::adjacent_find(reads) == reads.end()) << "each record is read once";
    for (const auto& client : bench.clients) EXPECT_TRUE(client->is_ended);
    for (int server = 0; server < servers; ++server)
      EXPECT_LE(bench.counters(server).held.now(telemetry::MemoryKind::input), 0U);
  }
}

TEST(InputService, reads_as_far_ahead_as_the_lead) {
  for (const bool by_seconds : {false, true}) {
    const RandomModel model(5, 2);
    auto entries = model.entries();
    for (input::Entry& entry : entries) {
      if (by_seconds) entry.lead_seconds = 25.0;
      if (!by_seconds) entry.lead_records = 3;
    }
    InputBench bench(model.declarations, model.decomposition, entries, {.threads = 1});
    bench.begin();
    bench.times = {3.0, 3.0, false};
    const std::int64_t last =
        by_seconds ? 3 : 4;  // 28 s lies between 20 s and 30 s; behind 10 s three records
    bench.until([&] { return bench.has_all(RandomModel::sst, last); });
    bench.settle();
    EXPECT_FALSE(bench.has_all(RandomModel::sst, last + 1));
    bench.end();
  }
}

TEST(InputService, passes_over_records_that_a_long_step_does_not_need) {
  const RandomModel model(6, 4);
  auto entries = model.entries();
  for (input::Entry& entry : entries) entry.lead_records = 0;
  InputBench bench(model.declarations, model.decomposition, entries, {.servers = 2, .threads = 1});
  bench.begin();
  go_to(bench, 0.0);
  go_to(bench, 60.0);
  bench.settle();
  bench.end();
  for (const auto& [field, record] : bench.files.reads()) EXPECT_TRUE(record < 2 || record >= 6) << record;
}

TEST(InputService, holds_little_memory_and_yet_gives_what_is_needed) {
  for (const bool has_little : {true, false}) {
    const RandomModel model(7, 4, 60);
    auto entries = model.entries();
    for (input::Entry& entry : entries) entry.lead_records = 6;
    std::size_t largest = 0;
    for (int rank = 0; rank < 4; ++rank)
      largest = std::max(largest, model.cells_of(rank, RandomModel::ozone).size() * sizeof(float));
    InputBench bench(
        model.declarations, model.decomposition, entries,
        {.servers = 2, .threads = 0, .memory = has_little ? 1 : std::size_t{1} << 30, .buffer = 3 * largest});
    bench.begin();
    for (const auto& client : bench.clients) client->releases = false;
    bench.times = {3.0, 3.0, false};
    bench.settle();
    if (has_little) {
      EXPECT_LT(bench.files.reads().size(), 4U * 8U);
    } else {
      EXPECT_EQ(bench.files.reads().size(), 4U * 8U);
    }
    for (const auto& client : bench.clients) {
      client->release_all();
      client->releases = true;
    }
    for (const double time : {3.0, 12.0, 22.0, 32.0, 42.0}) go_to(bench, time);
    bench.end();
    expect_all_values(model, bench);
  }
}

TEST(InputService, waits_for_room_in_a_buffer_without_blocking) {
  const RandomModel model(8, 2, 60);
  const auto bytes = [&](int rank) {
    return model.cells_of(rank, RandomModel::ozone).size() * sizeof(float);
  };
  const int full = bytes(0) > bytes(1) ? 0 : 1;
  ASSERT_GT(bytes(full), 10000U);
  InputBench bench(model.declarations, model.decomposition, model.entries(),
                   {.threads = 1, .buffer = 3 * bytes(full)});
  bench.begin();
  testing::BenchClient& keeps = *bench.clients[base::index(full)];
  keeps.releases = false;
  bench.times = {3.0, 3.0, false};
  bench.until([&] { return bench.clients[base::index(1 - full)]->got.size() == 16; });  // two are ahead
  bench.settle();
  EXPECT_LT(keeps.got.size(), 16U);
  EXPECT_TRUE(bench.service(0).polls());
  const auto needed = [&](std::int64_t place) {
    for (int field = 0; field < 4; ++field)
      if (!keeps.got.contains({field, place})) return false;
    return true;
  };
  bench.times = {23.0, 23.0, false};  // those of now come before those that wait
  bench.settle();
  keeps.release_all();
  keeps.releases = true;
  bench.until([&] { return needed(2) && needed(3); });
  bench.end();
  expect_all_values(model, bench);
}

TEST(InputService, a_slow_file_does_not_hold_up_another) {
  const RandomModel model(9, 3);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 1, .threads = 1});
  bench.files.hold("forcing");
  bench.begin();
  bench.times = {3.0, 3.0, false};
  bench.until([&] { return bench.has_all(RandomModel::soil, 1) && bench.has_all(RandomModel::co2, 1); });
  EXPECT_FALSE(bench.has_all(RandomModel::sst, 0));
  EXPECT_TRUE(bench.service(0).polls());
  bench.files.let_go();
  go_to(bench, 3.0);
  bench.end();
  const telemetry::InputCounters& late = bench.counters(0).inputs.front();
  EXPECT_EQ(late.field, "sst");
  EXPECT_EQ(late.late.count.get(), 2U);
  EXPECT_GT(late.last_late_nanoseconds.get(), 0U);
  EXPECT_GE(late.reads.count.get(), 2U);  // those ahead may not be read any more
  expect_all_values(model, bench);
}

TEST(InputService, tells_every_client_of_a_record_that_cannot_be_read) {
  const RandomModel model(10, 5);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 3, .threads = 1});
  bench.files.break_record("soil", 1, 100);
  bench.begin();
  go_to(bench, 3.0);
  for (const auto& client : bench.clients) {
    const GotRecord& got = client->got.at({RandomModel::soil, 1});
    ASSERT_TRUE(got.fault.has_value());
    EXPECT_EQ(got.fault->message, "soils.nc: soil has no record 1");
    EXPECT_EQ(got.fault->code, ErrorCode::resource);
    EXPECT_FALSE(client->got.at({RandomModel::soil, 0}).fault.has_value());
  }
  go_to(bench, 24.0);
  bench.end();
  std::uint64_t failures = 0;
  for (int server = 0; server < 3; ++server)
    for (const telemetry::InputCounters& input : bench.counters(server).inputs)
      failures += input.failures.get();
  EXPECT_EQ(failures, 1U);
}

TEST(InputService, waits_for_a_record_that_comes_late) {
  const RandomModel model(11, 3);
  auto entries = model.entries();
  for (input::Entry& entry : entries) entry.wait_for = 1.0;
  InputBench bench(model.declarations, model.decomposition, entries, {.servers = 2, .threads = 1});
  bench.files.break_record("soil", 1, 3);
  bench.files.late_headers = 2;
  bench.begin();
  go_to(bench, 3.0);
  expect_all_values(model, bench);
  bench.end();
}

TEST(InputService, gives_up_a_record_that_does_not_come_in_time) {
  const RandomModel model(18, 3);
  auto entries = model.entries();
  for (input::Entry& entry : entries) entry.wait_for = 0.1;
  InputBench bench(model.declarations, model.decomposition, entries, {.servers = 2, .threads = 1});
  for (const std::int64_t record : {1, 3}) bench.files.break_record("soil", record, 1000000);
  bench.begin();
  const double begin = env::steady_seconds();
  go_to(bench, 3.0);
  EXPECT_GE(env::steady_seconds() - begin, 0.1);
  EXPECT_TRUE(bench.clients[0]->got.at({RandomModel::soil, 1}).fault.has_value());
  bench.until([&] { return bench.has_all(RandomModel::soil, 2); });
  EXPECT_FALSE(bench.clients[0]->got.contains({RandomModel::soil, 3})) << "it is awaited until one needs it";
  go_to(bench, 23.0);
  EXPECT_TRUE(bench.clients[0]->got.at({RandomModel::soil, 3}).fault.has_value());
  bench.end();
}

TEST(InputService, all_servers_learn_of_headers_that_cannot_be_read) {
  const RandomModel model(12, 4);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 3, .threads = 1});
  bench.files.broken_headers = "soils";
  bench.begin();
  for (int server = 0; server < 3; ++server) {
    ASSERT_TRUE(bench.service(server).fault().has_value());
    EXPECT_EQ(bench.service(server).fault()->message, "run.yaml:3:5  soils.nc has no variable tos");
  }
}

TEST(InputService, gives_the_levels_of_the_file_for_columns_of_the_model) {
  for (const bool hybrid : {false, true}) {
    const RandomModel model(13, 4);
    InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 2, .threads = 1});
    bench.files.levels["ozone"] = {{1000, 500, 100, 10, 1}, hybrid, 5};
    bench.files.has_missing = {"ozone"};
    bench.begin();
    go_to(bench, 3.0);
    for (int rank = 0; rank < 4; ++rank) {
      const GotRecord& got = bench.clients[base::index(rank)]->got.at({RandomModel::ozone, 1});
      const auto cells = model.cells_of(rank, RandomModel::ozone, 5);
      ASSERT_EQ(got.values.size(), cells.size() * (hybrid ? 12 : 4));
      const auto values = testing::as<float>(std::span(got.values).first(4 * cells.size()));
      const auto levels = testing::as<double>(std::span(got.values).subspan(4 * cells.size()));
      std::int64_t missing = 0;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (cells[i] % 3 == 0) {
          ++missing;
          EXPECT_TRUE(std::isnan(values[i]));
        } else {
          EXPECT_EQ(values[i], static_cast<float>(testing::fake_value(RandomModel::ozone, 1, cells[i])));
        }
        if (hybrid) {
          EXPECT_EQ(levels[i], testing::fake_level(1, cells[i]));
        }
      }
      EXPECT_EQ(got.missing, missing);
    }
    bench.end();
  }
}

TEST(InputService, sends_a_record_that_stays_once) {
  const RandomModel model(14, 3);
  auto entries = model.entries();
  for (input::Entry& entry : entries)
    for (input::FieldRequest& field : entry.fields) field.time.cycle = {input::CycleKind::period, 80.0};
  InputBench bench(model.declarations, model.decomposition, entries, {.servers = 2, .threads = 0});
  bench.files.stay = {"sst", "ozone", "soil", "co2"};
  bench.begin();
  for (double time = 0.0; time < 400.0; time += 13.0) {  // a client would fail for one that comes twice
    bench.times = {time, time, false};
    bench.settle();
  }
  EXPECT_EQ(bench.files.reads().size(), 4U * 8U);
  bench.end();
  expect_all_values(model, bench);
}

TEST(InputService, goes_on_without_a_lost_server_and_ends) {
  const RandomModel model(15, 6);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 3, .threads = 1});
  bench.begin();
  go_to(bench, 3.0);
  bench.lose(1);
  bench.settle();
  bench.end();
  EXPECT_TRUE(bench.service(0).over());
  EXPECT_TRUE(bench.service(2).over());
}

TEST(InputService, ends_where_no_client_has_a_channel) {
  const RandomModel model(17, 4);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 2, .threads = 1});
  bench.begin(false);
  bench.settle();
  bench.end();
  EXPECT_TRUE(bench.files.reads().empty());
}

TEST(InputService, a_server_without_clients_reads_for_the_others) {
  const RandomModel model(16, 4);
  InputBench bench(model.declarations, model.decomposition, model.entries(), {.servers = 3, .threads = 1});
  bench.clients_of() = {{0, 1}, {}, {2, 3}};
  bench.begin();
  for (const double time : {0.0, 11.0, 25.0}) go_to(bench, time);
  bench.end();
  expect_all_values(model, bench);
}

}  // namespace
}  // namespace tailrace::server
