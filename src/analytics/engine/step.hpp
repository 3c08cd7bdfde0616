// A step under way on this server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analytics/engine/work/inputs.hpp"
#include "analytics/engine/work/step_values.hpp"
#include "messaging/messenger.hpp"

namespace tailrace::analytics::engine {

// What this server computes as the root of a phase, once the parts of all servers are there.
struct OwnRoot {
  std::size_t phase = 0;
  std::size_t root = 0;  // in the phase's list
  std::optional<std::vector<messaging::Bytes>> parts = {};
};

// How far it is, for the communication thread alone, and apart from it what workers compute with. It stays
// where it was made: work on its way refers to it.
struct Step {
  Step(const planning::Plan& plan, const std::vector<work::Value>& known)
      : values(plan, known), inputs(values) {}
  const planning::Plan& plan() const { return values.plan(); }

  std::int64_t round = 0;     // counts the steps at which something is due
  bool ended = false;         // all blocks are here
  bool running = false;       // a phase is being worked on
  std::size_t phase = 0;      // the next to run
  std::vector<int> awaited;   // by phase: what its roots have still to say to all
  std::deque<OwnRoot> roots;  // of this server, still to be done, by phase
  bool root_running = false;

  work::StepValues values;
  work::Inputs inputs;
};

}  // namespace tailrace::analytics::engine
