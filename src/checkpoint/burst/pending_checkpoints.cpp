#include "checkpoint/burst/pending_checkpoints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "checkpoint/burst/buffer.hpp"

namespace tailrace::checkpoint {

std::vector<FoundCheckpoint> checkpoints_on_nodes(env::FileSystem& files, const std::string& checkpoints) {
  std::vector<FoundCheckpoint> found = find_checkpoints(files, checkpoints);
  std::erase_if(found, [](const FoundCheckpoint& checkpoint) {
    return checkpoint.state != FoundCheckpoint::State::on_nodes;
  });
  std::ranges::reverse(found);
  return found;
}

std::vector<std::string> drain_what_is_here(env::FileSystem& files, const FoundCheckpoint& checkpoint) {
  std::vector<std::string> faults;
  for (const Shard& shard : checkpoint.manifest.shards) {
    try {
      drain_shard(files, shard, checkpoint.path);
    } catch (const Error& error) {
      faults.push_back(fmt::format("checkpoint {}: {}", checkpoint.path, error.what()));
    }
  }
  return faults;
}

bool commit_if_whole(env::FileSystem& files, CheckpointStore& store, const FoundCheckpoint& checkpoint) {
  if (!describe_waiting(files, checkpoint.path, checkpoint.manifest.shards).empty()) return false;
  store.commit(checkpoint.manifest);
  return true;
}

}  // namespace tailrace::checkpoint
