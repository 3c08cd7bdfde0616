#include "handshake/restart.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "checkpoint/set_check.hpp"
#include "env/file_system.hpp"
#include "handshake/agreement/tree.hpp"
#include "settings/checkpoint/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

// The path of the set; empty where the run begins afresh. On the first rank.
std::string look(const std::string& component, const settings::CheckpointOptions& options) {
  const std::string sets = checkpoint::sets_path(options.directory, component);
  const auto newest = checkpoint::newest_whole(env::system_files(), sets);
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
                                    const settings::Configuration& configuration,
                                    const std::function<void()>& meanwhile) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for || options->restart == settings::Restart::never)
    return std::nullopt;
  Tree tree(component);
  std::vector<std::byte> word;
  if (tree.is_first()) {
    base::ByteWriter writer;
    try {
      const std::string set = look(name, *options);
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
