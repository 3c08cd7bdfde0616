// From which checkpoint a component goes on, as all its ranks learn in `start`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/saved_state.hpp"
#include "comm/communicator.hpp"
#include "model/block.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

struct Restart {
  model::Tick at;
  std::string set;                           // its path
  std::map<std::string, std::string> texts;  // plan::describe_for_restart of the run before
  std::shared_ptr<const checkpoint::SavedState> state;
};

// Opens a set, whose members are not checked. Throws Error(resource).
Restart open_set(const std::string& set);

// Collective over the component, in `start`: the first rank looks for the newest whole set, or that of
// `initial_step`, and all ranks check it, a share each. None where the configuration asks for none, or there
// is none. `meanwhile` is called while waiting. Throws on every rank: Error(resource) where there is none and
// must be one, or where one cannot be used that nothing says is damaged.
std::optional<Restart> find_restart(comm::Communicator& component, const std::string& name,
                                    const settings::Configuration& configuration, std::int64_t initial_step,
                                    const std::function<void()>& meanwhile);

}  // namespace tailrace::handshake
