// A step in progress on this server.
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

// The work of this server as the root of a phase, after the parts of all servers have arrived.
struct OwnRoot {
  std::size_t phase = 0;
  std::size_t root = 0;  // in the phase's list
  std::optional<std::vector<messaging::Bytes>> parts = {};
};

// The progress of a step, for the communication thread only, and the values that workers use. Not movable:
// work in progress refers to it.
struct Step {
  Step(const planning::Plan& plan, const std::vector<work::Value>& known)
      : values(plan, known), inputs(values) {}
  const planning::Plan& plan() const { return values.plan(); }

  std::int64_t round = 0;     // the number of earlier steps at which something was due
  bool ended = false;         // all blocks have arrived
  bool running = false;       // a phase is being computed
  std::size_t phase = 0;      // the next one to run
  std::vector<int> awaited;   // by phase: number of roots whose broadcast is still awaited
  std::deque<OwnRoot> roots;  // pending roots on this server, by phase
  bool root_running = false;

  work::StepValues values;
  work::Inputs inputs;
};

}  // namespace tailrace::analytics::engine
