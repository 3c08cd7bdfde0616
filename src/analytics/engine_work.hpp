// What a step holds on one server while it is under way. Used by the engine alone.
#pragma once

#include <cstdint>
#include <cstring>

#include "analytics/bundle.hpp"
#include "analytics/engine.hpp"

namespace tailrace::analytics {

// One of what lies side by side has no value, and why.
struct Absence {
  int member = 0;
  std::string why;
};
using Absences = std::vector<Absence>;  // by member, ascending, each once

inline const Absence* find(const Absences& absences, int member) {
  for (const Absence& absence : absences)
    if (absence.member == member) return &absence;
  return nullptr;
}
void add(Absences& to, const Absences& more);

// Numbers of any type, or the reason why there are none. Where several lie side by side there are always
// numbers; those of absent members mean nothing.
struct Value {
  std::vector<std::byte> bytes;
  model::DataType type = model::DataType::float64;
  bool present = false;
  Absences absences;

  bool whole() const { return present && absences.empty(); }
  void clear() {
    present = false;
    absences.clear();
  }
  void absent(const Absences& why) {
    present = false;
    add(absences, why);
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
  std::size_t size() const { return bytes.size() / model::size_of(type); }
  std::vector<double> as_doubles() const;
  // As they lie here, or, of another type, converted into `room`.
  std::span<const double> doubles_in(std::vector<double>& room) const;
  void append_to(std::vector<double>& values, std::size_t first, std::size_t count) const;
};

void convert(model::DataType type, std::span<const std::byte> from, double* to);

struct Engine::ClientValues {
  std::vector<Value> nodes;             // of local nodes; and of inputs as the client put them
  std::vector<std::vector<char>> came;  // by node: of inputs side by side, which members
  struct Row {                          // where these are written to in the current step
    double* values = nullptr;
    char* came = nullptr;                // null: nothing lies side by side here
    std::size_t members = 0, cells = 0;  // of one
  };
  std::vector<Row> rows;  // by node
};

// Partial results of the blocks that one worker goes through, by node.
struct Lane {
  std::vector<std::unique_ptr<Partial>> partials;  // kept from step to step
  std::vector<Absences> absences;                  // of reductions: what some block had nothing for

  explicit Lane(std::size_t nodes) : partials(nodes), absences(nodes) {}
};

struct Engine::Work {
  Plan* plan = nullptr;
  model::Tick tick;
  std::int64_t round = 0;
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
