#include "handshake/undrained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/waiting_sets.hpp"
#include "env/file_system.hpp"
#include "handshake/rollcall/exchange.hpp"
#include "settings/checkpoint/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

using checkpoint::FoundSet;
using Texts = std::vector<std::string>;

// The sets of a component, while no other job may change them.
struct Held {
  checkpoint::SetStore store;
  std::vector<FoundSet> on_nodes;  // the oldest first
};

// The component's `checkpoint`, where there may be something to drain.
const settings::CheckpointOptions* options_of(const settings::Configuration& configuration) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  const bool is_wanted = options != nullptr && options->is_asked_for && !options->burst_buffer.empty() &&
                         options->restart != settings::Restart::never;
  return is_wanted ? options : nullptr;
}

// On the first rank.
std::vector<Held> hold_what_waits(const Run& run) {
  std::vector<Held> all;
  for (std::size_t c = 0; c < run.configurations.size(); ++c) {
    const auto* options = options_of(run.configurations[c]);
    if (options == nullptr) continue;
    const std::string& component = run.assignment.components[c];
    if (checkpoint::sets_on_nodes(env::system_files(), checkpoint::sets_path(options->directory, component))
            .empty())
      continue;
    Held& held =
        all.emplace_back(Held{checkpoint::SetStore(env::system_files(), options->directory, component), {}});
    held.on_nodes = checkpoint::sets_on_nodes(env::system_files(), held.store.path());
    for (const FoundSet& set : held.on_nodes) checkpoint::remove_parts(env::system_files(), set.path);
  }
  return all;
}

std::vector<std::byte> to_bytes(const Texts& texts) {
  base::ByteWriter writer;
  writer.put(texts.size());
  for (const std::string& text : texts) writer.put_text(text);
  return writer.take();
}

Texts texts_from(base::ByteReader reader) {
  Texts texts(reader.get<std::size_t>());
  for (std::string& text : texts) text = reader.get_text();
  return texts;
}

// On the first rank, when all have done what they can.
DrainedInStart commit_what_is_whole(std::vector<Held>& all) {
  DrainedInStart drained;
  for (Held& held : all) {
    for (const FoundSet& set : held.on_nodes) {
      if (!checkpoint::commit_if_whole(env::system_files(), held.store, set)) continue;
      for (const checkpoint::Member& member : set.manifest.members) {
        if (!member.buffered) continue;
        ++drained.members;
        drained.bytes += member.bytes;
      }
      base::log_info(fmt::format("checkpoint {}: what waited in burst buffers is drained", set.path));
    }
  }
  return drained;
}

}  // namespace

DrainedInStart drain_burst_buffers(Tree& tree, const Run& run, const std::function<void()>& meanwhile) {
  if (std::ranges::none_of(run.configurations, options_of)) return {};
  std::vector<Held> held;
  Texts sets;  // sets_path of the components that have some on nodes
  const auto told = exchange(tree,
                             {[](std::span<const std::byte>) {}, [] { return std::vector<std::byte>(); },
                              [&] {
                                held = hold_what_waits(run);
                                for (const Held& one : held) sets.push_back(one.store.path());
                                return to_bytes(sets);
                              },
                              meanwhile},
                             "start failed on all ranks alike; rank 0 of the job tells why");
  if (!tree.is_first()) sets = texts_from(base::ByteReader(told));
  if (sets.empty()) return {};
  Texts faults;
  for (const std::string& path : sets)
    for (const FoundSet& set : checkpoint::sets_on_nodes(env::system_files(), path))
      std::ranges::copy(checkpoint::drain_what_is_here(env::system_files(), set), std::back_inserter(faults));
  const auto answer = exchange(tree,
                               {[&](std::span<const std::byte> word) {
                                  for (std::string& fault : texts_from(base::ByteReader(word)))
                                    faults.push_back(std::move(fault));
                                },
                                [&] { return to_bytes(faults); },
                                [&] {
                                  for (const std::string& fault : faults) base::log_warning(fault);
                                  const DrainedInStart drained = commit_what_is_whole(held);
                                  base::ByteWriter writer;
                                  writer.put(drained);
                                  return writer.take();
                                },
                                meanwhile},
                               "start failed on all ranks alike; rank 0 of the job tells why");
  return base::ByteReader(answer).get<DrainedInStart>();
}

}  // namespace tailrace::handshake
