// Finds checkpoints and checks whether they are complete and undamaged.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

struct FoundCheckpoint {
  enum class State {
    complete,    // its manifest is readable; the shards are not checked
    on_nodes,    // no manifest yet: shards wait in burst buffers of nodes, or are being drained
    unfinished,  // no manifest: of a job that still runs or was killed, or being removed
    damaged,     // its manifest cannot be read, or is gone although the checkpoint was complete
    refused,     // of a later version, with another byte order, or copied from another place
  };
  std::int64_t step = 0;
  std::string path;
  State state = State::unfinished;
  Manifest manifest;  // if it is complete or on nodes
  std::string why;    // otherwise: what is wrong
};

// Checkpoints in `checkpoints` (checkpoints_path), newest first. None if there is no such directory. Throws
// Error(resource) if it cannot be listed.
std::vector<FoundCheckpoint> find_checkpoints(env::FileSystem& files, const std::string& checkpoints);

// Throws Error(resource) with the path if the manifest cannot be read or is refused.
Manifest read_manifest(env::FileSystem& files, const std::string& checkpoint);

// A part of the check, which several servers share.
struct Share {
  std::size_t index = 0;
  std::size_t of = 1;
};

// Returns what is wrong with the shards of a checkpoint, with the name of the shard; none: nothing. Reads
// this share of their regions, each once.
std::optional<std::string> damage_of(env::FileSystem& files, const std::string& checkpoint,
                                     const Manifest& manifest, Share share = {});

// The newest complete checkpoint, after all its shards were checked. The log gets a warning for each newer
// one with what is wrong with it. None if there are no checkpoints but unfinished ones. Throws
// Error(resource) if a newer one is refused, or if none can be used: the message names each with the reason,
// one a line. For one process; `damage` (damage_of) is called for one checkpoint after the other, and may let
// other servers do their share.
using FindDamage = std::function<std::optional<std::string>(const FoundCheckpoint&)>;
std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints,
                                     const FindDamage& damage);
std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints);

// A line for each, with the reason.
std::string describe_unusable(const std::vector<FoundCheckpoint>& checkpoints);

}  // namespace tailrace::checkpoint
