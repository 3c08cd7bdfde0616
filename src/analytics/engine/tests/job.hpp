// Several servers with their engines in one thread, and a model whose ranks have rows of a small box.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "analytics/engine.hpp"
#include "base/index.hpp"
#include "messaging/testing/memory_network.hpp"

namespace tailrace::analytics::engine::testing {

inline constexpr std::int64_t levels = 2, columns = 3;  // z, x; the extent of y is the number of ranks
inline constexpr std::int32_t kind = 11;

enum class Order { oldest_first, newest_first, any };

// Replaces worker threads: submitted work is queued until the test runs it.
class Workers {
 public:
  Workers(Order order, unsigned seed) : order_(order), random_(seed) {}
  void submit(std::function<void()> work) { waiting_.push_back(std::move(work)); }
  bool run_one() {
    if (waiting_.empty()) return false;
    std::size_t which = 0;
    if (order_ == Order::newest_first) which = waiting_.size() - 1;
    if (order_ == Order::any) which = random_() % waiting_.size();
    const auto work = std::move(waiting_[which]);
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(which));
    work();
    return true;
  }

 private:
  Order order_;
  std::mt19937 random_;
  std::vector<std::function<void()>> waiting_;
};

struct Job {
  struct Options {
    int servers = 2;
    int ranks = 4;
    Order order = Order::any;
    unsigned seed = 1;
    Operators operators{};  // in addition to the built-in ones
  };

  struct Server {
    std::unique_ptr<comm::Communicator> communicator;
    std::unique_ptr<messaging::Messenger> messenger;
    std::unique_ptr<Engine> engine;
    std::vector<int> clients;
    std::vector<StepResults> steps;
    std::optional<std::string> unmatched;
  };

  // Fields w and th (z, y, x), split along y with one row for each rank; dt, the same on all ranks.
  Job(const std::vector<std::pair<std::string, std::string>>& diagnostics, const Options& asked)
      : options(asked), network(asked.servers, asked.seed, 3), workers(asked.order, asked.seed) {
    const Dims box{{"z", levels, false}, {"y", options.ranks, true}, {"x", columns, false}};
    Scope scope;
    scope.inputs = {{"w", {box, "m s-1"}}, {"th", {box, "K"}}, {"dt", {{}, "s"}}};
    scope.operators = options.operators;
    std::vector<DiagnosticSource> sources;
    for (const auto& [name, text] : diagnostics) {
      DiagnosticSource& source = sources.emplace_back();
      source.name = source.path = name;
      source.text = text;
    }
    config::Problems problems;
    compiled = compile(sources, scope, problems);
    if (!problems.empty()) throw std::runtime_error(problems.text());
    for (int rank = 0; rank < options.servers; ++rank) servers.push_back(make_server(rank));
  }

  static double value(const std::string& field, std::int64_t step, std::int64_t z, std::int64_t y,
                      std::int64_t x);  // a small integer: sums are exact in any order

  void begin(std::int64_t step, std::vector<char> due = {});
  void put(std::int64_t step, const std::string& field, int rank);
  void put_all(std::int64_t step);
  void end() {
    for (Server& server : servers) server.engine->end();
  }
  void step(std::int64_t step) {
    begin(step);
    put_all(step);
    end();
  }
  // Runs until nothing happens; fails if an engine is then not idle.
  void run();
  void finish();  // verifies that no message is left

  std::vector<double> whole(std::size_t step, const std::string& diagnostic) const;
  std::vector<double> block(std::size_t step, const std::string& diagnostic, int rank) const;
  int number(const std::string& diagnostic) const;

  Options options;
  messaging::testing::MemoryNetwork network;
  Workers workers;
  Compiled compiled;
  std::vector<Server> servers;

 private:
  Server make_server(int rank);
  std::vector<double> found(std::size_t step, int diagnostic, int client) const;
};

inline double Job::value(const std::string& field, std::int64_t step, std::int64_t z, std::int64_t y,
                         std::int64_t x) {
  const std::int64_t number = 7 * step + 5 * z + 3 * y * y + x * (field == "w" ? 2 : -3);
  return static_cast<double>(number % 17);
}

inline Job::Server Job::make_server(int rank) {
  Server server;
  server.communicator = network.rank(rank);
  server.messenger = std::make_unique<messaging::Messenger>(*server.communicator);
  for (int client = 0; client < options.ranks; ++client)
    if (client % options.servers == rank) server.clients.push_back(client);
  EngineInput box;
  for (int client = 0; client < options.ranks; ++client)
    box.regions.push_back(model::Region::of_box({{0, client, 0}, {levels, 1, columns}}));
  EngineInput replicated;
  replicated.place = Place::global;
  const std::vector<EngineInput> inputs{box, box, replicated};
  EngineServices services{.messenger = *server.messenger, .kind = kind, .home = 0, .submit = {}};
  services.submit = [this](std::function<void()> work, bool) { workers.submit(std::move(work)); };
  const auto place = base::index(rank);
  server.engine = std::make_unique<Engine>(
      compiled.graph, inputs, server.clients, std::move(services),
      [this, place](StepResults&& results) { servers[place].steps.push_back(std::move(results)); });
  return server;
}

inline int Job::number(const std::string& diagnostic) const {
  for (std::size_t d = 0; d < compiled.graph.diagnostics.size(); ++d)
    if (compiled.graph.diagnostics[d].name == diagnostic) return static_cast<int>(d);
  throw std::runtime_error("no diagnostic " + diagnostic);
}

inline void Job::begin(std::int64_t step, std::vector<char> due) {
  if (due.empty()) due.assign(compiled.graph.diagnostics.size(), 1);
  for (Server& server : servers) server.engine->begin({.step = step, .time = static_cast<double>(step)}, due);
}

inline void Job::put(std::int64_t step, const std::string& field, int rank) {
  Engine& engine = *servers[base::index(rank % options.servers)].engine;
  const int input = field == "w" ? 0 : field == "th" ? 1 : 2;
  if (!engine.wants(input)) return;
  std::vector<double> cells{static_cast<double>(step + 1)};
  if (field != "dt") {
    cells.clear();
    for (std::int64_t z = 0; z < levels; ++z)
      for (std::int64_t x = 0; x < columns; ++x) cells.push_back(value(field, step, z, rank, x));
  }
  engine.accept(input, rank, model::DataType::float64, std::as_bytes(std::span<const double>(cells)));
}

inline void Job::put_all(std::int64_t step) {
  for (int rank = 0; rank < options.ranks; ++rank)
    for (const char* field : {"w", "th", "dt"}) put(step, field, rank);
}

inline void Job::run() {
  for (int calm = 0; calm < 50; ++calm) {
    if (workers.run_one()) calm = 0;
    for (Server& server : servers) {
      const bool moved = server.messenger->progress();
      if (server.engine->progress() || moved) calm = 0;
    }
  }
  for (const Server& server : servers) EXPECT_TRUE(server.engine->idle()) << server.engine->describe();
}

inline void Job::finish() {
  for (Server& server : servers)
    server.engine->finish([&server](const std::string& left) { server.unmatched = left; });
  run();
  for (const Server& server : servers) EXPECT_EQ(server.unmatched, "");
}

inline std::vector<double> Job::found(std::size_t step, int diagnostic, int client) const {
  std::vector<double> values;
  int times = 0;
  for (const Server& server : servers) {
    const StepResults& results = server.steps.at(step);
    for (const Result& result : results.results) {
      if (result.diagnostic != diagnostic || result.client != client) continue;
      const auto found = results.of(result);
      values.assign(found.begin(), found.end());
      ++times;
    }
  }
  EXPECT_EQ(times, 1) << "only one server has a value";
  return values;
}

inline std::vector<double> Job::whole(std::size_t step, const std::string& diagnostic) const {
  return found(step, number(diagnostic), -1);
}
inline std::vector<double> Job::block(std::size_t step, const std::string& diagnostic, int rank) const {
  return found(step, number(diagnostic), rank);
}

}  // namespace tailrace::analytics::engine::testing
