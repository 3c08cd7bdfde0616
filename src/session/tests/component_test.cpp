// A whole component, from puts to files in memory, played in one thread: several model ranks, several servers
// between which messages take their time. What is in the file is compared with the formulas the model puts,
// and is the same bits whatever the numbers of ranks, servers and threads.
#include "session/component.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/bytes.hpp"
#include "client/client.hpp"
#include "messaging/testing/memory_network.hpp"
#include "output/memory/memory_format.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::session {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t ny = 5, nx = 12, steps = 17;

double time_of(std::int64_t step) { return 0.7 * static_cast<double>(step) + (step % 3 == 0 ? 0.25 : 0.0); }

double value_of(std::int64_t step, std::int64_t cell) {
  return std::sin(0.1 * static_cast<double>(step * 37 + cell)) + 1e3 / static_cast<double>(cell + 1);
}

const std::string configuration_text =
    "tailrace: 1\n"
    "fields: {state: {names: [w, cells, energy]}}\n"
    "output:\n"
    "  PATH:\n"
    "    format: memory\n"
    "    write_every: 3 s\n"
    "    variables:\n"
    "      - {field: w, every: 2 s, chunk: [3, 2, 5]}\n"
    "      - {field: w, name: w_mean, time: mean, every: 3 s, chunk: [1, 5, 4], compression: zlib}\n"
    "      - {field: cells, time: max, every: 3 s, chunk: [4, 3, 12]}\n"
    "      - {field: energy, time: sum, every: 3 s}\n";

struct Cast {
  int clients = 1, servers = 1, threads = 0;
  std::size_t memory = std::size_t{64} << 20;  // of a server
  bool indexed = false;
  unsigned seed = 1;
  std::string text = configuration_text;
};

// Columns that a rank holds: neighbours, or dealt out like cards.
std::vector<std::int64_t> columns_of(const Cast& cast, int client) {
  std::vector<std::int64_t> columns;
  for (std::int64_t x = 0; x < nx; ++x)
    if ((cast.indexed ? x % cast.clients : x * cast.clients / nx) == client) columns.push_back(x);
  return columns;
}

client::Declarer declare(const Cast& cast, int client) {
  client::Declarer declarer("bubble", client);
  const auto columns = columns_of(cast, client);
  client::GridArguments grid;
  grid.name = "les";
  grid.dims = {"y", "x"};
  grid.shape = {ny, nx};
  if (cast.indexed) {
    grid.indexed_dim = "x";
    grid.indices = columns;
  } else {
    grid.offset = {0, columns.front()};
    grid.count = {ny, std::ssize(columns)};
  }
  declarer.grid(grid);
  std::vector<double> x;
  for (const std::int64_t column : columns) x.push_back(100.0 * static_cast<double>(column));
  model::Coordinate coordinate;
  coordinate.name = "x";
  declarer.coordinate("les", coordinate, x);
  const auto add = [&](const char* on, const char* name, model::DataType type) {
    model::Field field;
    field.name = name;
    field.type = type;
    declarer.field(on, field);
  };
  add("les", "w", model::DataType::float64);
  add("les", "cells", model::DataType::int32);
  add("", "energy", model::DataType::float64);
  return declarer;
}

struct ModelRank {
  client::Declarer declarer;
  std::vector<std::int64_t> columns;
  std::unique_ptr<client::Client> client;
  std::int64_t step = 0;
  std::size_t next = 0;  // call within the step
};

struct Server {
  std::unique_ptr<comm::Communicator> communicator;
  std::unique_ptr<messaging::Messenger> messenger;
  std::unique_ptr<transport::Doorbell> doorbell = transport::make_heap_doorbell();
  telemetry::ServerCounters counters;
  std::unique_ptr<server::Executor> executor;
  std::unique_ptr<ServedComponent> component;
};

// All of a run. `path` is the file's name, which also finds what was written.
struct Play {
  Cast cast;
  std::mt19937 random;
  messaging::testing::MemoryNetwork network;
  std::vector<Server> servers;
  std::vector<ModelRank> ranks;

  Play(const Cast& what, const std::string& path)
      : cast(what),
        random(what.seed),
        network(what.servers, what.seed),
        servers(static_cast<std::size_t>(what.servers)) {
    cast.text.replace(cast.text.find("PATH"), 4, path);
    for (int client = 0; client < cast.clients; ++client)
      ranks.push_back({declare(cast, client), columns_of(cast, client), nullptr});
    const model::Declarations& declarations = ranks.front().declarer.declarations();
    model::Decomposition decomposition;
    decomposition.regions.resize(declarations.grids.size());
    for (const ModelRank& rank : ranks) {
      EXPECT_EQ(rank.declarer.declarations(), declarations);
      for (std::size_t g = 0; g < declarations.grids.size(); ++g)
        decomposition.regions[g].push_back(rank.declarer.regions()[g]);
    }
    model::check_cover(declarations, decomposition);
    const std::map<std::string, std::string> no_options;
    Configuration configuration = parse_configuration({{"run.yaml", cast.text}}, &no_options);
    configuration.servers.memory = cast.memory;
    int leader = 0;
    while (clients_of(static_cast<std::size_t>(leader)).empty()) ++leader;
    for (std::size_t s = 0; s < servers.size(); ++s)
      make_server(s, {0, configuration, declarations, decomposition, {0, 0.0}, leader, "now"});
    connect(make_plan(configuration, declarations));
  }

  // Neighbouring ranks share a server.
  std::vector<std::size_t> clients_of(std::size_t server) const {
    std::vector<std::size_t> clients;
    for (std::size_t c = 0; c < ranks.size(); ++c)
      if (c * servers.size() / ranks.size() == server) clients.push_back(c);
    return clients;
  }

  void make_server(std::size_t s, const ComponentInfo& info) {
    Server& server = servers[s];
    server.communicator = network.rank(static_cast<int>(s));
    server.messenger = std::make_unique<messaging::Messenger>(*server.communicator);
    server.executor = std::make_unique<server::Executor>(cast.threads, *server.doorbell);
    server.component = std::make_unique<ServedComponent>(
        info, *server.messenger, FileServices{*server.executor, server.counters, nullptr, nullptr, 0.0});
    server.component->create_files();
  }

  void connect(const Plan& plan) {
    for (std::size_t s = 0; s < servers.size(); ++s) {
      std::vector<server::Link> links;
      for (const std::size_t c : clients_of(s)) {
        auto ends = transport::loopback::make({{.bytes = 1 << 20}, {}}, *servers[s].doorbell);
        links.push_back({static_cast<int>(c), std::move(ends.consumer)});
        const model::Declarations& declarations = ranks[c].declarer.declarations();
        ranks[c].client = std::make_unique<client::Client>(
            ranks[c].declarer, static_cast<int>(c), std::move(ends.producer),
            make_agenda(plan, declarations, {0, 0.0}),
            std::vector<unsigned char>(declarations.fields.size(), 0), model::Tick{0, 0.0});
        ranks[c].client->put_statics(ranks[c].declarer.statics());
      }
      servers[s].component->start(std::move(links));
    }
  }

  // One call of the model on one rank.
  void call(ModelRank& rank) {
    const model::Declarations& declarations = rank.declarer.declarations();
    if (rank.next == 0) {
      ++rank.step;
      if (rank.step > steps) return rank.client->finish();
      rank.client->step(rank.step, time_of(rank.step));
    }
    if (rank.next == 1) {
      std::vector<double> values;
      for (std::int64_t y = 0; y < ny; ++y)
        for (const std::int64_t x : rank.columns) values.push_back(value_of(rank.step, y * nx + x));
      rank.client->put_dense(*declarations.find_field("w"), values.data(), model::DataType::float64,
                             values.size());
    }
    if (rank.next == 2) {
      std::vector<std::int32_t> values;
      for (std::int64_t y = 0; y < ny; ++y)
        for (const std::int64_t x : rank.columns)
          values.push_back(static_cast<std::int32_t>(rank.step % 5 * 100 + y * nx + x));
      rank.client->put_dense(*declarations.find_field("cells"), values.data(), model::DataType::int32,
                             values.size());
    }
    if (rank.next == 3) {
      const double value = 1.0 / static_cast<double>(rank.step);
      rank.client->put_dense(*declarations.find_field("energy"), &value, model::DataType::float64, 1);
    }
    rank.next = (rank.next + 1) % 4;
  }

  bool progress() {
    bool moved = false;
    for (Server& server : servers) {
      moved = server.messenger->progress() || moved;
      moved = server.component->progress() || moved;
      moved = moved || server.executor->running() > 0 || !server.messenger->idle();
    }
    return moved;
  }
  bool over() const {
    return std::ranges::all_of(servers, [](const Server& server) { return server.component->over(); });
  }
  // Ranks and servers take turns at random; what a call throws leaves the rank where it is.
  void run() {
    for (int turns = 0; !over(); ++turns) {
      ASSERT_LT(turns, 2000000) << servers[0].component->describe();
      ModelRank& rank = ranks[random() % ranks.size()];
      if (rank.step <= steps && random() % 2 == 0) call(rank);
      progress();
      if (cast.threads > 0 && random() % 8 == 0) std::this_thread::yield();
    }
    for (Server& server : servers) {
      EXPECT_FALSE(server.component->fatal());
      EXPECT_FALSE(server.executor->take_fault());
      EXPECT_EQ(server.component->faults().size(), 0U);
    }
  }
};

// What a stock reader would see.
struct Read {
  std::vector<double> w, w_mean, energy, times, mean_times, bounds, x;
  std::vector<std::int32_t> cells;
  bool operator==(const Read&) const = default;
};

Read read(const std::string& path) {
  const auto contents = output::memory::contents_of(path);
  Read read;
  read.w = contents->values<double>("w");
  read.w_mean = contents->values<double>("w_mean");
  read.energy = contents->values<double>("energy");
  read.times = contents->values<double>("time_instant_2s");
  read.mean_times = contents->values<double>("time_3s");
  read.bounds = contents->values<double>("time_3s_bnds");
  read.x = contents->values<double>("x");
  read.cells = contents->values<std::int32_t>("cells");
  return read;
}

// The samples of a window and how much of their interval lies in it.
struct Sample {
  std::int64_t step;
  double weight;
};
std::vector<Sample> samples(double begin, double end) {
  std::vector<Sample> samples;
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double from = step == 1 ? 0.0 : time_of(step - 1);
    const double overlap = std::min(end, time_of(step)) - std::max(begin, from);
    if (overlap > 0) samples.push_back({step, overlap});
  }
  return samples;
}

void expect_the_formulas(const Read& read) {
  // Instants: the first step at or past each 2 s.
  std::vector<double> times;
  std::size_t at = 0;
  double next = 2.0;
  for (std::int64_t step = 1; step <= steps; ++step) {
    if (time_of(step) < next) continue;
    while (next <= time_of(step)) next += 2.0;
    times.push_back(time_of(step));
    for (std::int64_t cell = 0; cell < ny * nx; ++cell, ++at) {
      ASSERT_LT(at, read.w.size());
      ASSERT_EQ(read.w[at], value_of(step, cell)) << "step " << step << ", cell " << cell;
    }
  }
  EXPECT_EQ(at, read.w.size());
  EXPECT_EQ(read.times, times);
  // Windows of 3 s, the last one cut off where the run ends.
  const double end_of_run = time_of(steps);
  std::size_t windows = 0;
  for (double begin = 0.0; begin < end_of_run; begin += 3.0, ++windows) {
    const double end = std::min(begin + 3.0, end_of_run);
    ASSERT_LT(windows, read.mean_times.size());
    EXPECT_EQ(read.mean_times[windows], end);
    EXPECT_EQ(read.bounds[2 * windows], begin);
    EXPECT_EQ(read.bounds[2 * windows + 1], end);
    const std::vector<Sample> inside = samples(begin, end);
    for (std::int64_t cell = 0; cell < ny * nx; ++cell) {
      double sum = 0.0, weight = 0.0;
      std::int64_t most = 0;
      for (const Sample& sample : inside) {
        sum += sample.weight * value_of(sample.step, cell);
        weight += sample.weight;
        most = std::max(most, sample.step % 5 * 100 + cell);
      }
      const std::size_t i = windows * ny * nx + static_cast<std::size_t>(cell);
      EXPECT_NEAR(read.w_mean[i], sum / weight, 1e-12 * std::abs(sum / weight));
      EXPECT_EQ(read.cells[i], most);
    }
    double energy = 0.0;  // each sample's is shared out over its interval
    for (const Sample& sample : inside) {
      const double interval = time_of(sample.step) - (sample.step == 1 ? 0.0 : time_of(sample.step - 1));
      energy += sample.weight / interval / static_cast<double>(sample.step);
    }
    EXPECT_NEAR(read.energy[windows], energy, 1e-12);
  }
  EXPECT_EQ(windows, read.mean_times.size());
  EXPECT_EQ(read.w_mean.size(), windows * ny * nx);
  EXPECT_EQ(read.energy.size(), windows);
  for (std::size_t x = 0; x < read.x.size(); ++x) EXPECT_EQ(read.x[x], 100.0 * static_cast<double>(x));
}

const Read& reference() {
  static const Read once = [] {
    Play play({}, "reference");
    play.run();
    return read("reference");
  }();
  return once;
}

TEST(Component, WritesWhatTheFormulasSay) { expect_the_formulas(reference()); }

struct Named {
  const char* name;
  Cast cast;
};
void PrintTo(const Named& named, std::ostream* out) { *out << named.name; }
class AnyCast : public testing::TestWithParam<Named> {};

TEST_P(AnyCast, GivesTheSameBits) {
  const std::string path = std::string("any_cast_") + GetParam().name;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Cast cast = GetParam().cast;
    cast.seed = seed;
    Play play(cast, path);
    play.run();
    const Read found = read(path);
    ASSERT_EQ(found.times, reference().times) << "seed " << seed;
    ASSERT_EQ(found.bounds, reference().bounds) << "seed " << seed;
    ASSERT_EQ(found.w, reference().w) << "seed " << seed;
    ASSERT_EQ(found.w_mean, reference().w_mean) << "seed " << seed;
    ASSERT_EQ(found.cells, reference().cells) << "seed " << seed;
    ASSERT_TRUE(found == reference()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Casts, AnyCast,
                         testing::Values(Named{"two_ranks", {.clients = 2}},
                                         Named{"three_ranks_two_servers", {.clients = 3, .servers = 2}},
                                         Named{"five_ranks_three_servers", {.clients = 5, .servers = 3}},
                                         Named{"more_servers_than_ranks", {.clients = 2, .servers = 4}},
                                         Named{"indexed", {.clients = 4, .servers = 2, .indexed = true}},
                                         Named{"threads", {.clients = 3, .servers = 2, .threads = 2}},
                                         Named{"little_memory",
                                               {.clients = 3, .servers = 3, .memory = 2048}}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(Component, ARankThatLeavesEndsItWithWhatIsComplete) {
  Cast cast{.clients = 2, .servers = 2};
  Play play(cast, "left");
  for (std::int64_t step = 1; step <= 6; ++step)
    for (ModelRank& rank : play.ranks)
      for (int call = 0; call < 4; ++call) play.call(rank);
  while (play.progress()) {
  }
  play.ranks[1].client->abandon();
  testing::internal::CaptureStderr();
  for (int turns = 0; turns < 100000 && !play.servers[1].component->fatal(); ++turns) play.progress();
  std::string message;
  for (int turns = 0; turns < 100000 && message.empty(); ++turns) {
    play.progress();
    try {
      play.call(play.ranks[0]);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::lost);
      message = error.what();
    }
  }
  EXPECT_THAT(message, HasSubstr("component \"bubble\": rank 1 left without finish after step 6"));
  play.ranks[0].client->abandon();
  for (int turns = 0; turns < 100000 && !play.over(); ++turns) play.progress();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(play.over());
  const Read left = read("left");
  ASSERT_FALSE(left.w_mean.empty());
  EXPECT_TRUE(std::equal(left.w_mean.begin(), left.w_mean.end(), reference().w_mean.begin()));
}

// Plays on until it is so, for at most 20 s: threads need time, not turns.
template <class Condition>
bool comes_true(Play& play, Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    if (!play.progress()) std::this_thread::yield();
  }
  return true;
}

// A piece that cannot be, of a chunk that there is not: the work on it throws, and the component still ends.
TEST(Component, WorkThatThrowsEndsItAndNothingHangs) {
  for (const int threads : {0, 1}) {
    Play play({.clients = 2, .servers = 2, .threads = threads}, "thrown");
    base::ByteWriter bundle;
    for (const std::int64_t word : {0, 32, 0, 0, 999, 0})
      bundle.put(word);  // kind, size; stream, record, chunk, client
    play.servers[1].messenger->send(0, static_cast<std::int32_t>(Word::bundle), bundle.take());
    std::optional<base::Fault> fault;
    ASSERT_TRUE(
        comes_true(play, [&] { return (fault = play.servers[0].executor->take_fault()).has_value(); }));
    EXPECT_THAT(fault->message, HasSubstr("the client has cells in this chunk"));
    testing::internal::CaptureStderr();
    play.servers[0].component->fail(*fault);  // as the host does
    for (ModelRank& rank : play.ranks) rank.client->abandon();
    EXPECT_TRUE(comes_true(play, [&] { return play.over(); })) << play.servers[0].component->describe();
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the client has cells in this chunk"));
    for (const Server& server : play.servers) EXPECT_TRUE(server.component->fatal());
  }
}

TEST(Component, SaysWhoWaitsForWhom) {
  Play play({.clients = 2, .servers = 1}, "waiting");
  for (int call = 0; call < 4; ++call) play.call(play.ranks[0]);
  while (play.progress()) {
  }
  EXPECT_EQ(play.servers[0].component->describe(),
            "\n    rank 0 of component \"bubble\": at step 1, waits for the others"
            "\n    rank 1 of component \"bubble\": before its first step, its next record is awaited"
            "\n    file waiting: no commit is due");
  for (ModelRank& rank : play.ranks) rank.client->abandon();
  testing::internal::CaptureStderr();
  for (int turns = 0; turns < 100000 && !play.over(); ++turns) play.progress();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(play.over());
}

}  // namespace
}  // namespace tailrace::session
