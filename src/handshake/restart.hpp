// The checkpoint from which a component restarts. All its ranks agree on it in `start`.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/saved_state.hpp"
#include "comm/communicator.hpp"
#include "config/location.hpp"
#include "model/block.hpp"
#include "settings/configuration.hpp"

namespace tailrace::handshake {

struct Restart {
  model::Tick at;
  std::string checkpoint;                    // its path
  std::map<std::string, std::string> texts;  // plan::describe_for_restart of the previous run
  std::shared_ptr<const checkpoint::SavedState> state;
};

// Opens a checkpoint without verifying its shards. Throws Error(resource).
Restart open_checkpoint(const std::string& path);

// Collective over the component, in `start`. The first rank looks for the newest complete checkpoint, or that
// of `initial_step`; all ranks verify it, a share each. Returns none if the configuration asks for none, or
// none exists. Calls `meanwhile` while waiting. Throws Error(resource) on every rank, before anything is
// removed or replaced, if there is no checkpoint and `restart: require` is set, if checkpoints exist but none
// can be used, if one is undamaged but cannot be used, and if the model begins at step 0 beside checkpoints
// with `restart: at_initial_step`.
std::optional<Restart> find_restart(comm::Communicator& component, const std::string& name,
                                    const settings::Configuration& configuration, std::int64_t initial_step,
                                    const std::function<void()>& meanwhile);

// Makes the directory of a component's checkpoints, durably. Throws Error(resource) that begins with the
// location, which is that of the section `checkpoint`.
void make_checkpoints_directory(const std::string& directory, const config::Location& location);

}  // namespace tailrace::handshake
