#include "handshake/restart.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "checkpoint/set_check.hpp"
#include "env/file_system.hpp"
#include "handshake/agreement/tree.hpp"
#include "settings/checkpoint/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

// Where the model says that it begins; no other would do.
checkpoint::Manifest set_of_step(const std::string& sets, std::int64_t step,
                                 const settings::CheckpointOptions& options) {
  using State = checkpoint::FoundSet::State;
  std::string why = fmt::format("there is none in {}", sets), complete;
  for (checkpoint::FoundSet& found : checkpoint::find_sets(env::system_files(), sets)) {
    if (found.step == step) {
      if (found.state == State::complete)
        found.why = checkpoint::damage_of(env::system_files(), found.path, found.manifest).value_or("");
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

// The path of the set; empty where the run begins afresh. On the first rank.
std::string look(const std::string& component, const settings::CheckpointOptions& options,
                 std::int64_t initial_step) {
  const std::string sets = checkpoint::sets_path(options.directory, component);
  const bool at_initial_step = options.restart == settings::Restart::at_initial_step;
  if (at_initial_step && initial_step <= 0) return {};
  const auto newest = at_initial_step ? std::optional(set_of_step(sets, initial_step, options))
                                      : checkpoint::newest_whole(env::system_files(), sets);
  if (newest) {
    base::log_info(fmt::format("component \"{}\" goes on from the checkpoint of step {} ({} s) in {}",
                               component, newest->head.step, newest->head.time, sets));
    return checkpoint::set_path(sets, newest->head.step);
  }
  if (options.restart == settings::Restart::require)
    throw Error(ErrorCode::resource,
                fmt::format("{}  checkpoint.restart: there is no complete checkpoint in {}; expected one, as "
                            "`require` says, or `restart: auto` for a run that begins afresh",
                            options.restart_location.text(), sets));
  return {};
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
  std::vector<std::byte> word;
  if (tree.is_first()) {
    base::ByteWriter writer;
    try {
      const std::string set = look(name, *options, initial_step);
      put_fault(writer, std::nullopt);
      writer.put_text(set);
    } catch (...) {
      writer = {};
      put_fault(writer, base::current_fault());
    }
    word = writer.take();
  } else {
    std::optional<std::vector<std::byte>> heard;
    while (!(heard = tree.from_parent())) meanwhile();
    word = std::move(*heard);
  }
  tree.down(std::vector<std::byte>(word));
  while (!tree.sent()) meanwhile();
  base::ByteReader reader(word);
  if (const auto fault = get_fault(reader)) {
    const std::string told = "start failed on all ranks alike; the component's first rank tells why";
    throw Error(fault->code, tree.is_first() ? fault->message : told);
  }
  const std::string set = reader.get_text();
  if (set.empty()) return std::nullopt;
  return open_set(set);
}

}  // namespace tailrace::handshake
