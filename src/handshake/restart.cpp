#include "handshake/restart.hpp"

#include <fmt/format.h>

#include "base/fault_bytes.hpp"
#include "base/log.hpp"
#include "checkpoint/checkpoint_check.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "env/file_system.hpp"
#include "handshake/ready.hpp"
#include "messaging/collectives/polled_tree.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

// The checkpoint of the step at which the model begins. No other can be used.
checkpoint::Manifest checkpoint_of_step(const std::string& directory, std::int64_t step,
                                        const settings::CheckpointOptions& options,
                                        const checkpoint::FindDamage& damage) {
  using State = checkpoint::FoundCheckpoint::State;
  std::string why = fmt::format("there is none in {}", directory), complete;
  for (checkpoint::FoundCheckpoint& found : checkpoint::find_checkpoints(env::system_files(), directory)) {
    if (found.step == step) {
      if (found.state == State::complete) found.why = damage(found).value_or("");
      if (found.why.empty()) return std::move(found.manifest);
      why = fmt::format("{} cannot be used: {}", found.path, found.why);
    } else if (found.state == State::complete) {
      complete = fmt::format("{}{}{}", found.step, complete.empty() ? "" : ", ", complete);
    }
  }
  throw Error(
      ErrorCode::resource,
      fmt::format("{}  checkpoint.restart: the model begins after step {}, which needs the checkpoint of "
                  "that step, but {}; there are complete checkpoints of the steps: {}. Expected one of these "
                  "as initial_step, or `restart: never`, with which all windows start empty",
                  options.restart_location.text(), step, why, complete.empty() ? "none" : complete));
}

// A message of the first rank to all: a checkpoint that all are to verify or, in the last message, the one
// that is used. An empty path means none.
struct Announcement {
  std::string checkpoint;
  bool is_last = true;
};

std::vector<std::byte> to_bytes(const Announcement& message) {
  base::ByteWriter writer;
  put_fault(writer, std::nullopt);
  writer.put_text(message.checkpoint);
  writer.put(static_cast<std::uint8_t>(message.is_last));
  return writer.take();
}

// Verifies this rank's share of a checkpoint. Returns the damage; empty: none.
std::string own_damage(const comm::Communicator& component, const std::string& checkpoint) {
  try {
    const checkpoint::Manifest manifest = checkpoint::read_manifest(env::system_files(), checkpoint);
    const checkpoint::Share share{static_cast<std::size_t>(component.rank()),
                                  static_cast<std::size_t>(component.size())};
    return checkpoint::damage_of(env::system_files(), checkpoint, manifest, share).value_or("");
  } catch (const Error& error) {
    return fmt::format("on rank {}: {}", component.rank(), error.what());
  }
}

// The damage that this rank or one below it in the tree has found; empty: none.
std::string gather_damage(comm::Communicator& component, messaging::PolledTree& tree,
                          const std::string& checkpoint, const std::function<void()>& meanwhile) {
  std::string damage = own_damage(component, checkpoint);
  for (std::size_t child = 0; child < tree.children(); ++child) {
    const auto message = messaging::receive_from_child(tree, child, meanwhile);
    const std::string below = base::ByteReader(message).get_text();
    if (damage.empty()) damage = below;
  }
  return damage;
}

const config::Location& location_of(const settings::CheckpointOptions& options) {
  return options.restart_location.line > 0 ? options.restart_location : options.location;
}

// A run from the beginning would remove the checkpoints that exist, and replace what the files hold.
void refuse_beginning(const std::string& directory, const settings::CheckpointOptions& options) {
  using State = checkpoint::FoundCheckpoint::State;
  std::string found;
  for (const checkpoint::FoundCheckpoint& one : checkpoint::find_checkpoints(env::system_files(), directory))
    if (one.state != State::unfinished)
      found += fmt::format("\n    {}{}{}", one.path, one.why.empty() ? "" : ": ", one.why);
  if (found.empty()) return;
  throw Error(
      ErrorCode::resource,
      fmt::format("{}  checkpoint.restart: the model begins at step 0, but there are checkpoints in {}, "
                  "which a run from the beginning would remove:{}\nNothing was removed or replaced. "
                  "Expected the step of one of them as initial_step, another `directory`, or `restart: "
                  "never`, which removes them",
                  location_of(options).text(), directory, found));
}

}  // namespace

void make_checkpoints_directory(const std::string& directory, const config::Location& location) {
  try {
    checkpoint::make_durable_directories(env::system_files(), directory);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}  checkpoint.directory: {}", location.text(), error.what()));
  }
}

namespace {

// Throws where checkpoints exist and none can be used: with `auto` the run would otherwise go on from the
// beginning, and remove what is left of them.
std::optional<checkpoint::Manifest> newest_usable(const std::string& directory,
                                                  const settings::CheckpointOptions& options,
                                                  const checkpoint::FindDamage& damage) {
  // Proves that a directory which does not seem to exist is not just out of reach.
  if (options.restart == settings::Restart::auto_) make_checkpoints_directory(directory, options.location);
  try {
    return checkpoint::newest_whole(env::system_files(), directory, damage);
  } catch (const Error& error) {
    throw Error(
        error.code(),
        fmt::format("{}  checkpoint.restart: {}\nNothing was removed or replaced. Repair or move these "
                    "checkpoints, or name another `directory`; with `restart: never` the run begins from the "
                    "beginning, and removes what is damaged",
                    location_of(options).text(), error.what()));
  }
}

// On the first rank. Returns the path of the checkpoint; empty if there is no restart. `damage` makes all
// ranks verify a checkpoint.
std::string find(const std::string& component, const settings::CheckpointOptions& options,
                 std::int64_t initial_step, const checkpoint::FindDamage& damage) {
  const std::string directory = checkpoint::checkpoints_path(options.directory, component);
  const bool at_initial_step = options.restart == settings::Restart::at_initial_step;
  if (at_initial_step && initial_step <= 0) {
    refuse_beginning(directory, options);
    return {};
  }
  const auto newest = at_initial_step
                          ? std::optional(checkpoint_of_step(directory, initial_step, options, damage))
                          : newest_usable(directory, options, damage);
  if (newest) {
    base::log_info(fmt::format("component \"{}\" restarts from the checkpoint of step {} ({} s) in {}",
                               component, newest->head.step, newest->head.time, directory));
    return checkpoint::checkpoint_path(directory, newest->head.step);
  }
  if (options.restart == settings::Restart::require)
    throw Error(
        ErrorCode::resource,
        fmt::format("{}  checkpoint.restart: there is no complete checkpoint in {}; `require` expects "
                    "one; use `restart: auto` for a run that starts without a checkpoint",
                    options.restart_location.text(), directory));
  return {};
}

using Find = std::function<std::string(const checkpoint::FindDamage&)>;

std::string lead(comm::Communicator& component, messaging::PolledTree& tree, const Find& find,
                 const std::function<void()>& meanwhile) {
  const auto damage = [&](const checkpoint::FoundCheckpoint& checkpoint) -> std::optional<std::string> {
    tree.down(to_bytes({checkpoint.path, false}));
    std::string found = gather_damage(component, tree, checkpoint.path, meanwhile);
    return found.empty() ? std::nullopt : std::optional(std::move(found));
  };
  try {
    std::string checkpoint = find(damage);
    tree.down(to_bytes({checkpoint}));
    return checkpoint;
  } catch (const Error&) {
    base::ByteWriter writer;
    put_fault(writer, base::current_fault());
    tree.down(writer.take());
    while (!tree.sent()) meanwhile();
    throw;
  }
}

std::string follow(comm::Communicator& component, messaging::PolledTree& tree,
                   const std::function<void()>& meanwhile) {
  for (;;) {
    std::optional<std::vector<std::byte>> received;
    while (!(received = tree.from_parent())) meanwhile();
    tree.down(std::vector<std::byte>(*received));
    base::ByteReader reader(*received);
    if (const auto fault = get_fault(reader)) {
      while (!tree.sent()) meanwhile();
      const base::Fault shared = shared_fault(*fault, "start", false);
      throw Error(shared.code, shared.message);
    }
    std::string checkpoint = reader.get_text();
    if (reader.get<std::uint8_t>() != 0) return checkpoint;
    base::ByteWriter found;
    found.put_text(gather_damage(component, tree, checkpoint, meanwhile));
    tree.up(found.take());
  }
}

}  // namespace

Restart open_checkpoint(const std::string& checkpoint) {
  const checkpoint::Manifest manifest = checkpoint::read_manifest(env::system_files(), checkpoint);
  return {{manifest.head.step, manifest.head.time},
          checkpoint,
          manifest.texts,
          std::make_shared<const checkpoint::SavedState>(env::system_files(), checkpoint, manifest)};
}

std::optional<Restart> find_restart(comm::Communicator& component, const std::string& name,
                                    const settings::Configuration& configuration, std::int64_t initial_step,
                                    const std::function<void()>& meanwhile) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for || options->restart == settings::Restart::never)
    return std::nullopt;
  messaging::PolledTree tree(component);
  const auto find_here = [&](const checkpoint::FindDamage& damage) {
    return find(name, *options, initial_step, damage);
  };
  const std::string checkpoint =
      tree.is_first() ? lead(component, tree, find_here, meanwhile) : follow(component, tree, meanwhile);
  while (!tree.sent()) meanwhile();
  if (checkpoint.empty()) return std::nullopt;
  return open_checkpoint(checkpoint);
}

}  // namespace tailrace::handshake
