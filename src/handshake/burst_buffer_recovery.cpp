#include "handshake/burst_buffer_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/pending_checkpoints.hpp"
#include "env/file_system.hpp"
#include "handshake/bootstrap/exchange.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

using checkpoint::FoundCheckpoint;
using Texts = std::vector<std::string>;

// The sets of a component, while no other job may change them.
struct Held {
  checkpoint::CheckpointStore store;
  std::vector<FoundCheckpoint> on_nodes;  // the oldest first
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
    if (checkpoint::checkpoints_on_nodes(env::system_files(),
                                         checkpoint::checkpoints_path(options->directory, component))
            .empty())
      continue;
    Held& held = all.emplace_back(
        Held{checkpoint::CheckpointStore(env::system_files(), options->directory, component), {}});
    held.on_nodes = checkpoint::checkpoints_on_nodes(env::system_files(), held.store.path());
    for (const FoundCheckpoint& checkpoint : held.on_nodes)
      checkpoint::remove_parts(env::system_files(), checkpoint.path);
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
    for (const FoundCheckpoint& checkpoint : held.on_nodes) {
      if (!checkpoint::commit_if_whole(env::system_files(), held.store, checkpoint)) continue;
      for (const checkpoint::Shard& shard : checkpoint.manifest.shards) {
        if (!shard.buffered) continue;
        ++drained.shards;
        drained.bytes += shard.bytes;
      }
      base::log_info(fmt::format("checkpoint {}: what waited in burst buffers is drained", checkpoint.path));
    }
  }
  return drained;
}

}  // namespace

DrainedInStart drain_burst_buffers(Tree& tree, const Run& run, const std::function<void()>& meanwhile) {
  if (std::ranges::none_of(run.configurations, options_of)) return {};
  std::vector<Held> held;
  Texts checkpoints;  // sets_path of the components that have some on nodes
  const auto told = exchange(tree,
                             {[](std::span<const std::byte>) {}, [] { return std::vector<std::byte>(); },
                              [&] {
                                held = hold_what_waits(run);
                                for (const Held& one : held) checkpoints.push_back(one.store.path());
                                return to_bytes(checkpoints);
                              },
                              meanwhile},
                             "start failed on all ranks alike; rank 0 of the job tells why");
  if (!tree.is_first()) checkpoints = texts_from(base::ByteReader(told));
  if (checkpoints.empty()) return {};
  Texts faults;
  for (const std::string& path : checkpoints)
    for (const FoundCheckpoint& checkpoint : checkpoint::checkpoints_on_nodes(env::system_files(), path))
      std::ranges::copy(checkpoint::drain_what_is_here(env::system_files(), checkpoint),
                        std::back_inserter(faults));
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
