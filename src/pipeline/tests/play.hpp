// A whole component played in one thread: several model ranks, several servers between which messages take
// their time.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "client/client.hpp"
#include "messaging/testing/memory_network.hpp"
#include "pipeline/served_component.hpp"
#include "server/executor.hpp"
#include "server/intake.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::pipeline::play {

inline constexpr std::int64_t ny = 5, nx = 12, steps = 17;

inline double time_of(std::int64_t step) {
  return 0.7 * static_cast<double>(step) + (step % 3 == 0 ? 0.25 : 0.0);
}

inline double value_of(std::int64_t step, std::int64_t cell) {
  return std::sin(0.1 * static_cast<double>(step * 37 + cell)) + 1e3 / static_cast<double>(cell + 1);
}

inline const std::string configuration_text =
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

// A field besides the usual ones. `value`: of a cell, in C order over its grid, at a step.
struct ExtraField {
  std::string name, grid;
  std::optional<model::FillValue> fill;
  std::function<double(std::int64_t step, std::int64_t cell)> value;
  std::function<bool(std::int64_t step)> is_put = [](std::int64_t) { return true; };
};
// A grid besides the usual one, with further dims before or behind "y" and "x".
struct ExtraGrid {
  std::string name;
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
};

struct Cast {
  int clients = 1, servers = 1, threads = 0;
  std::size_t memory = std::size_t{64} << 20;  // of a server
  std::size_t memory_left = SIZE_MAX;          // on its node
  bool indexed = false;
  unsigned seed = 1;
  std::string text = configuration_text;
  int late_turns = 0;     // servers without clients start so much later than the others
  bool on_earth = false;  // y and x are latitude and longitude
  std::vector<ExtraGrid> grids = {};
  std::vector<ExtraField> fields = {};
  // Called before a component starts.
  std::function<void(ServedComponent& component, int server)> before_start = [](ServedComponent&, int) {};
  // Where the run begins: behind this step, which `saved` has the state of.
  std::int64_t begin = 0;
  const model::StateLoader* saved = nullptr;

  model::Tick begin_tick() const { return {begin, begin == 0 ? 0.0 : time_of(begin)}; }
};

// Columns that a rank holds: neighbours, or dealt out like cards.
inline std::vector<std::int64_t> columns_of(const Cast& cast, int client) {
  std::vector<std::int64_t> columns;
  for (std::int64_t x = 0; x < nx; ++x)
    if ((cast.indexed ? x % cast.clients : x * cast.clients / nx) == client) columns.push_back(x);
  return columns;
}

// Latitudes and longitudes with bounds; of an indexed grid those of the rank's columns.
inline void declare_places(client::Declarer& declarer, const std::string& grid,
                           const std::vector<std::int64_t>& columns) {
  const auto along = [&](const char* dim, const char* units, const std::vector<std::int64_t>& places,
                         double first, double step) {
    std::vector<double> values, bounds;
    for (const std::int64_t i : places) {
      values.push_back(first + step * static_cast<double>(i));
      bounds.push_back(values.back() - 0.5 * step);
      bounds.push_back(values.back() + 0.5 * step);
    }
    model::Coordinate coordinate;
    coordinate.name = dim;
    coordinate.dims = {dim};
    coordinate.units = units;
    declarer.coordinate(grid, coordinate, values,
                        {.bounds = bounds, .vertices = 2, .computed_bounds = false, .scalar = false});
  };
  along("y", "degrees_north", {0, 1, 2, 3, 4}, -50.0, 25.0);
  along("x", "degrees_east", columns, 0.0, 30.0);
}

inline client::Declarer declare(const Cast& cast, int client) {
  client::Declarer declarer("bubble", client, cast.clients);
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
  if (cast.on_earth) {
    declare_places(declarer, "les", columns);
  } else {
    std::vector<double> x;
    for (const std::int64_t column : columns) x.push_back(100.0 * static_cast<double>(column));
    model::Coordinate coordinate;
    coordinate.name = "x";
    declarer.coordinate("les", coordinate, x);
  }
  for (const ExtraGrid& extra : cast.grids) {
    client::GridArguments more = grid;
    more.name = extra.name;
    more.dims = extra.dims;
    more.shape = extra.shape;
    more.offset = more.count = {};
    for (std::size_t d = 0; !cast.indexed && d < extra.dims.size(); ++d) {
      more.offset.push_back(extra.dims[d] == "x" ? columns.front() : 0);
      more.count.push_back(extra.dims[d] == "x" ? std::ssize(columns) : extra.shape[d]);
    }
    declarer.grid(more);
    declare_places(declarer, extra.name, columns);
  }
  const auto add = [&](const char* on, const char* name, model::DataType type) {
    model::Field field;
    field.name = name;
    field.type = type;
    declarer.field(on, field);
  };
  add("les", "w", model::DataType::float64);
  add("les", "cells", model::DataType::int32);
  add("", "energy", model::DataType::float64);
  for (const ExtraField& extra : cast.fields) {
    model::Field field;
    field.name = extra.name;
    field.fill_value = extra.fill;
    declarer.field(extra.grid, field);
  }
  declarer.settle_coordinates();
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
  std::unique_ptr<server::Intake> intake;  // null without clients
  bool late = false;                       // not started yet

  bool progress() {
    const bool took = component->takes_in() && intake->progress();
    return component->progress() || took;
  }
};

// All of a run. `path` is the file's name, which also finds what was written.
struct Play {
  Cast cast;
  std::mt19937 random;
  messaging::testing::MemoryNetwork network;
  std::vector<Server> servers;
  std::vector<ModelRank> ranks;
  std::unique_ptr<plan::Plan> plan;  // of the clients

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
    settings::Configuration configuration =
        settings::parse_configuration({{"run.yaml", cast.text}}, &no_options);
    configuration.servers.memory = cast.memory;
    int leader = 0;
    while (clients_of(static_cast<std::size_t>(leader)).empty()) ++leader;
    for (std::size_t s = 0; s < servers.size(); ++s)
      make_server(s, {0,
                      false,
                      configuration,
                      declarations,
                      decomposition,
                      cast.begin_tick(),
                      {},
                      {},
                      leader,
                      "now",
                      0,
                      cast.memory_left});
    plan = std::make_unique<plan::Plan>(plan::make_plan(configuration, declarations));
    connect(*plan);
    for (ModelRank& rank : ranks) rank.step = cast.begin;
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
        info, *server.messenger,
        sinks::SinkServices{*server.executor, server.counters, nullptr, nullptr, 0.0});
    const std::vector<std::size_t> clients = clients_of(s);
    server.component->create_files(std::vector<int>(clients.begin(), clients.end()));
  }

  void connect(const plan::Plan& made) {
    for (std::size_t s = 0; s < servers.size(); ++s) {
      std::vector<server::Link> links;
      std::vector<int> clients;
      for (const std::size_t c : clients_of(s)) {
        auto ends = transport::loopback::make({{.bytes = 1 << 20}, {}}, *servers[s].doorbell);
        links.push_back({static_cast<int>(c), std::move(ends.consumer)});
        clients.push_back(static_cast<int>(c));
        const model::Declarations& declarations = ranks[c].declarer.declarations();
        ranks[c].client = std::make_unique<client::Client>(
            ranks[c].declarer, static_cast<int>(c),
            client::ClientParts{.producer = std::move(ends.producer),
                                .agenda = plan::make_agenda(made, declarations, cast.begin_tick()),
                                .may_be_missing = optional_fields(made, declarations),
                                .once = std::vector<unsigned char>(declarations.fields.size(), 0),
                                .begin = cast.begin_tick(),
                                .kept = checkpointed_fields(made),
                                .schedule = plan::checkpoint_schedule(made, cast.begin_tick())});
        ranks[c].client->put_statics(ranks[c].declarer.statics());
      }
      servers[s].late = links.empty() && cast.late_turns > 0;
      if (!links.empty())
        servers[s].intake =
            std::make_unique<server::Intake>("bubble", std::move(links),
                                             server::IntakeServices{.executor = *servers[s].executor,
                                                                    .receiver = *servers[s].component,
                                                                    .counters = servers[s].counters});
      cast.before_start(*servers[s].component, static_cast<int>(s));
      if (!servers[s].late) servers[s].component->start(clients, servers[s].intake.get(), cast.saved);
    }
  }

  static std::vector<unsigned char> optional_fields(const plan::Plan& made,
                                                    const model::Declarations& declarations) {
    std::vector<unsigned char> optional;
    for (std::size_t field = 0; field < declarations.fields.size(); ++field)
      optional.push_back(made.fields[field].optional);
    return optional;
  }

  static std::vector<unsigned char> checkpointed_fields(const plan::Plan& made) {
    std::vector<unsigned char> kept;
    for (const plan::FieldPlan& field : made.fields) kept.push_back(field.kept);
    return kept;
  }

  void start_the_late() {
    for (Server& server : servers)
      if (std::exchange(server.late, false)) server.component->start({}, nullptr, cast.saved);
  }

  void put(ModelRank& rank, const ExtraField& extra) const {
    if (!extra.is_put(rank.step)) return;
    const model::Declarations& declarations = rank.declarer.declarations();
    const int field = *declarations.find_field(extra.name);
    const auto grid = base::index(declarations.fields[base::index(field)].grid);
    const model::Grid& declared = declarations.grids[grid];
    std::vector<double> values;
    const model::Region& region = rank.declarer.regions()[grid];
    const std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t d, std::int64_t number) {
      if (d == declared.shape.size()) return values.push_back(extra.value(rank.step, number));
      for (const model::Run& run : region.runs(d))
        for (std::int64_t i = run.start; i < run.start + run.count; ++i)
          visit(d + 1, number * declared.shape[d] + i);
    };
    visit(0, 0);
    rank.client->put_dense(field, values.data(), model::DataType::float64, values.size());
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
    if (rank.next == 2)
      for (const ExtraField& extra : cast.fields) put(rank, extra);
    if (rank.next == 3) {
      const double value = 1.0 / static_cast<double>(rank.step);
      rank.client->put_dense(*declarations.find_field("energy"), &value, model::DataType::float64, 1);
      if (rank.client->checkpoint_due()) {
        rank.client->put_value("seed", std::vector<std::int64_t>{rank.step, 77});
        rank.client->checkpoint();
      }
    }
    rank.next = (rank.next + 1) % 4;
  }

  bool progress() {
    bool moved = false;
    for (Server& server : servers) {
      moved = server.messenger->progress() || moved;
      moved = (!server.late && server.progress()) || moved;
      moved = moved || server.executor->running() > 0 || !server.messenger->idle();
    }
    return moved;
  }
  bool over() const {
    return std::ranges::all_of(servers, [](const Server& server) { return server.component->over(); });
  }
  // Plays on until nothing moves any more and it is so on all servers.
  template <class Condition>
  void wait_until(Condition condition) {
    for (int turns = 0, quiet = 0; quiet < 3; ++turns) {
      ASSERT_LT(turns, 2000000) << servers[0].component->describe();
      quiet = progress() || !std::ranges::all_of(servers, condition) ? 0 : quiet + 1;
      if (cast.threads > 0) std::this_thread::yield();
    }
  }

  // Every rank puts all of the steps up to this one; then state is saved.
  void play_until(std::int64_t last, model::StateSaver& state) {
    const auto has_done = [last](const ModelRank& rank) { return rank.step == last && rank.next == 0; };
    while (!std::ranges::all_of(ranks, has_done)) {
      ModelRank& rank = ranks[random() % ranks.size()];
      if (!has_done(rank)) call(rank);
      progress();
    }
    const auto has_all = [](const Server& server) {
      return server.intake == nullptr || server.intake->announced();
    };
    wait_until(has_all);
    for (Server& server : servers) server.component->close_step();
    wait_until([](const Server& server) { return server.component->at_rest() && server.messenger->idle(); });
    for (Server& server : servers) server.component->save(state);
  }

  // Ranks and servers take turns at random; a rank whose call throws stays where it is.
  void run() {
    for (int turns = 0; !over(); ++turns) {
      ASSERT_LT(turns, 2000000) << servers[0].component->describe();
      if (turns == cast.late_turns) start_the_late();
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

}  // namespace tailrace::pipeline::play
