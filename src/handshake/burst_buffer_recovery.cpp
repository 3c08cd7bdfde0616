#include "handshake/burst_buffer_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "checkpoint/burst/buffer.hpp"
#include "checkpoint/burst/pending_checkpoints.hpp"
#include "env/file_system.hpp"
#include "messaging/collectives/polled_allreduce.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

using checkpoint::FoundCheckpoint;
using Texts = std::vector<std::string>;

constexpr const char* all_failed = "start failed on all ranks; rank 0 of the job reports the reason";

// The checkpoints of a component; the store holds the lock that keeps other jobs from changing them.
struct LockedCheckpoints {
  checkpoint::CheckpointStore store;
  std::vector<FoundCheckpoint> on_nodes;  // the oldest first
};

// The section `checkpoint` of a component; null if its configuration leaves nothing to drain.
const settings::CheckpointOptions* options_of(const settings::Configuration& configuration) {
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  const bool is_used = options != nullptr && options->is_asked_for && !options->burst_buffer.empty() &&
                       options->restart != settings::Restart::never;
  return is_used ? options : nullptr;
}

// Called on the first rank only.
std::vector<LockedCheckpoints> lock_checkpoints_on_nodes(const Run& run) {
  std::vector<LockedCheckpoints> all;
  for (std::size_t c = 0; c < run.configurations.size(); ++c) {
    const auto* options = options_of(run.configurations[c]);
    if (options == nullptr) continue;
    const std::string& component = run.assignment.components[c];
    if (checkpoint::checkpoints_on_nodes(env::system_files(),
                                         checkpoint::checkpoints_path(options->directory, component))
            .empty())
      continue;
    LockedCheckpoints& locked = all.emplace_back(LockedCheckpoints{
        checkpoint::CheckpointStore(env::system_files(), options->directory, component), {}});
    locked.on_nodes = checkpoint::checkpoints_on_nodes(env::system_files(), locked.store.path());
    for (const FoundCheckpoint& checkpoint : locked.on_nodes)
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

// Called on the first rank only, after all ranks have drained their shards.
DrainedInStart commit_complete(std::vector<LockedCheckpoints>& all) {
  DrainedInStart drained;
  for (LockedCheckpoints& locked : all) {
    for (const FoundCheckpoint& checkpoint : locked.on_nodes) {
      if (!checkpoint::commit_if_whole(env::system_files(), locked.store, checkpoint)) continue;
      for (const checkpoint::Shard& shard : checkpoint.manifest.shards) {
        if (!shard.buffered) continue;
        ++drained.shards;
        drained.bytes += shard.bytes;
      }
      base::log_info(
          fmt::format("checkpoint {}: its shards were drained from the burst buffers", checkpoint.path));
    }
  }
  return drained;
}

}  // namespace

DrainedInStart drain_burst_buffers(messaging::PolledTree& tree, const Run& run,
                                   const std::function<void()>& meanwhile) {
  if (std::ranges::none_of(run.configurations, options_of)) return {};
  std::vector<LockedCheckpoints> locked;
  Texts checkpoints;  // directories of the components that have checkpoints on nodes
  const auto paths =
      messaging::allreduce(tree,
                           {[](std::span<const std::byte>) {}, [] { return std::vector<std::byte>(); },
                            [&] {
                              locked = lock_checkpoints_on_nodes(run);
                              for (const LockedCheckpoints& one : locked)
                                checkpoints.push_back(one.store.path());
                              return to_bytes(checkpoints);
                            },
                            meanwhile},
                           all_failed);
  if (!tree.is_first()) checkpoints = texts_from(base::ByteReader(paths));
  if (checkpoints.empty()) return {};
  Texts faults;
  for (const std::string& path : checkpoints)
    for (const FoundCheckpoint& checkpoint : checkpoint::checkpoints_on_nodes(env::system_files(), path))
      std::ranges::copy(checkpoint::drain_what_is_here(env::system_files(), checkpoint),
                        std::back_inserter(faults));
  const auto answer = messaging::allreduce(tree,
                                           {[&](std::span<const std::byte> message) {
                                              for (std::string& fault : texts_from(base::ByteReader(message)))
                                                faults.push_back(std::move(fault));
                                            },
                                            [&] { return to_bytes(faults); },
                                            [&] {
                                              for (const std::string& fault : faults)
                                                base::log_warning(fault);
                                              const DrainedInStart drained = commit_complete(locked);
                                              base::ByteWriter writer;
                                              writer.put(drained);
                                              return writer.take();
                                            },
                                            meanwhile},
                                           all_failed);
  return base::ByteReader(answer).get<DrainedInStart>();
}

}  // namespace tailrace::handshake
