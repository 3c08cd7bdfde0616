// What a step holds on one server while it is under way. Used by the engine alone.
#pragma once

#include <cstring>

#include "analytics/engine.hpp"

namespace tailrace::analytics {

// Numbers of any type, or the reason why there are none.
struct Value {
  std::vector<std::byte> bytes;
  model::DataType type = model::DataType::float64;
  bool present = false;
  std::string reason;

  void clear() {
    present = false;
    reason.clear();
  }
  void absent(std::string why) {
    present = false;
    if (reason.empty()) reason = std::move(why);
  }
  std::span<double> make(std::size_t size) {
    bytes.resize(size * sizeof(double));
    type = model::DataType::float64;
    present = true;
    return doubles();
  }
  std::span<double> doubles() {
    return {reinterpret_cast<double*>(bytes.data()), bytes.size() / sizeof(double)};
  }
  std::vector<double> as_doubles() const;
};

struct Engine::ClientValues {
  int client = 0;
  std::vector<Value> nodes;  // of local nodes; and of inputs as the client put them
};

// Partial results of the blocks that one worker goes through.
struct Lane {
  std::map<int, std::unique_ptr<Partial>> partials;  // by node; kept from step to step
  std::map<int, std::string> absent;                 // reductions that some block had nothing for, and why
};

struct Engine::Work {
  model::Tick tick;
  std::int64_t round = 0;
  const Schedule* schedule = nullptr;
  bool ended = false;         // all blocks are here
  bool running = false;       // a phase is being worked on
  std::size_t phase = 0;      // the next to run
  std::vector<int> awaited;   // by phase: what its roots have still to say to all
  std::size_t own_roots = 0;  // still to be done here
  std::vector<ClientValues> clients;
  std::vector<Value> globals;            // by node: at the root, and where they were sent
  std::vector<std::vector<Lane>> lanes;  // by phase; after the phase the first has all
  std::size_t bytes = 0;
  std::mutex mutex;                   // guards thrown
  std::map<int, std::string> thrown;  // by node: operators that failed on this server
};

}  // namespace tailrace::analytics
