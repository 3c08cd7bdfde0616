#include "handshake/restart.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "checkpoint/checkpoint_check.hpp"
#include "env/file_system.hpp"
#include "handshake/ready/tree.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

// Where the model says that it begins; no other would do.
checkpoint::Manifest set_of_step(const std::string& sets, std::int64_t step,
                                 const settings::CheckpointOptions& options,
                                 const checkpoint::FindDamage& damage) {
  using State = checkpoint::FoundCheckpoint::State;
  std::string why = fmt::format("there is none in {}", sets), complete;
  for (checkpoint::FoundCheckpoint& found : checkpoint::find_checkpoints(env::system_files(), sets)) {
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
      fmt::format("{}  checkpoint.restart: the model begins behind step {}, which needs the checkpoint of "
                  "that step, but {}; complete are those of the steps: {}. Expected one of these as "
                  "initial_step, or `restart: never`, with which windows begin afresh",
                  options.restart_location.text(), step, why, complete.empty() ? "none" : complete));
}

// What the first rank tells: of a set that is to be checked by all, or, at last, that is used. None is used
// where the path is empty.
struct Word {
  std::string set;
  bool is_last = true;
};

std::vector<std::byte> to_bytes(const Word& word) {
  base::ByteWriter writer;
  put_fault(writer, std::nullopt);
  writer.put_text(word.set);
  writer.put(static_cast<std::uint8_t>(word.is_last));
  return writer.take();
}

// One rank's share of reading a set.
std::string damage_here(const comm::Communicator& component, const std::string& set) {
  try {
    const checkpoint::Manifest manifest = checkpoint::read_manifest(env::system_files(), set);
    const checkpoint::Share share{static_cast<std::size_t>(component.rank()),
                                  static_cast<std::size_t>(component.size())};
    return checkpoint::damage_of(env::system_files(), set, manifest, share).value_or("");
  } catch (const Error& error) {
    return fmt::format("on rank {}: {}", component.rank(), error.what());
  }
}

// What this rank or one below it found; empty: nothing.
std::string damage_below(comm::Communicator& component, Tree& tree, const std::string& set,
                         const std::function<void()>& meanwhile) {
  std::string damage = damage_here(component, set);
  for (std::size_t child = 0; child < tree.children(); ++child) {
    const auto word = hear_child(tree, child, meanwhile);
    const std::string below = base::ByteReader(word).get_text();
    if (damage.empty()) damage = below;
  }
  return damage;
}

// The path of the set; empty where the run begins afresh. On the first rank; the others check their shares.
std::string look(const std::string& component, const settings::CheckpointOptions& options,
                 std::int64_t initial_step, const checkpoint::FindDamage& damage) {
  const std::string sets = checkpoint::checkpoints_path(options.directory, component);
  const bool at_initial_step = options.restart == settings::Restart::at_initial_step;
  if (at_initial_step && initial_step <= 0) return {};
  const auto newest = at_initial_step ? std::optional(set_of_step(sets, initial_step, options, damage))
                                      : checkpoint::newest_whole(env::system_files(), sets, damage);
  if (newest) {
    base::log_info(fmt::format("component \"{}\" goes on from the checkpoint of step {} ({} s) in {}",
                               component, newest->head.step, newest->head.time, sets));
    return checkpoint::checkpoint_path(sets, newest->head.step);
  }
  if (options.restart == settings::Restart::require)
    throw Error(ErrorCode::resource,
                fmt::format("{}  checkpoint.restart: there is no complete checkpoint in {}; expected one, as "
                            "`require` says, or `restart: auto` for a run that begins afresh",
                            options.restart_location.text(), sets));
  return {};
}

using Look = std::function<std::string(const checkpoint::FindDamage&)>;

std::string lead(comm::Communicator& component, Tree& tree, const Look& look,
                 const std::function<void()>& meanwhile) {
  const auto damage = [&](const checkpoint::FoundCheckpoint& set) -> std::optional<std::string> {
    tree.down(to_bytes({set.path, false}));
    std::string found = damage_below(component, tree, set.path, meanwhile);
    return found.empty() ? std::nullopt : std::optional(std::move(found));
  };
  try {
    std::string set = look(damage);
    tree.down(to_bytes({set}));
    return set;
  } catch (const Error&) {
    base::ByteWriter writer;
    put_fault(writer, base::current_fault());
    tree.down(writer.take());
    while (!tree.sent()) meanwhile();
    throw;
  }
}

std::string follow(comm::Communicator& component, Tree& tree, const std::function<void()>& meanwhile) {
  for (;;) {
    std::optional<std::vector<std::byte>> heard;
    while (!(heard = tree.from_parent())) meanwhile();
    tree.down(std::vector<std::byte>(*heard));
    base::ByteReader reader(*heard);
    if (const auto fault = get_fault(reader)) {
      while (!tree.sent()) meanwhile();
      throw Error(fault->code, "start failed on all ranks alike; the component's first rank tells why");
    }
    std::string set = reader.get_text();
    if (reader.get<std::uint8_t>() != 0) return set;
    base::ByteWriter found;
    found.put_text(damage_below(component, tree, set, meanwhile));
    tree.up(found.take());
  }
}

}  // namespace

Restart open_set(const std::string& set) {
  const checkpoint::Manifest manifest = checkpoint::read_manifest(env::system_files(), set);
  return {{manifest.head.step, manifest.head.time},
          set,
          manifest.texts,
          std::make_shared<const checkpoint::SavedState>(env::system_files(), set, manifest)};
}

std::optional<Restart> find_restart(comm::Communicator& component, const std::string& name,
                                    const settings::Configuration& configuration, std::int64_t initial_step,
                                    const std::function<void()>& meanwhile) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for || options->restart == settings::Restart::never)
    return std::nullopt;
  Tree tree(component);
  const auto look_here = [&](const checkpoint::FindDamage& damage) {
    return look(name, *options, initial_step, damage);
  };
  const std::string set =
      tree.is_first() ? lead(component, tree, look_here, meanwhile) : follow(component, tree, meanwhile);
  while (!tree.sent()) meanwhile();
  if (set.empty()) return std::nullopt;
  return open_set(set);
}

}  // namespace tailrace::handshake
