// Which sets there are, and whether they are whole.
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
    complete,    // has a manifest that can be read; members are not looked at
    on_nodes,    // has none yet: members wait in burst buffers of nodes, or are being drained
    unfinished,  // has none: of a job that runs or was killed, or is being removed
    damaged,     // its manifest cannot be read
    refused,     // of a later version, with the bytes of numbers in another order, or of another place
  };
  std::int64_t step = 0;
  std::string path;
  State state = State::unfinished;
  Manifest manifest;  // of one that is complete, or on nodes
  std::string why;    // of any other
};

// Of `sets` (sets_path), newest first. None where there is no such directory.
std::vector<FoundCheckpoint> find_checkpoints(env::FileSystem& files, const std::string& checkpoints);

// Throws Error(resource) for a manifest that cannot be read or is refused, with the path.
Manifest read_manifest(env::FileSystem& files, const std::string& checkpoint);

// A part of the work of checking, for several servers that do it together.
struct Share {
  std::size_t index = 0;
  std::size_t of = 1;
};

// What is wrong with the members of a set, naming the member; none: nothing. Reads this share of their
// regions, each once, in pieces.
std::optional<std::string> damage_of(env::FileSystem& files, const std::string& checkpoint,
                                     const Manifest& manifest, Share share = {});

// The newest set that is whole, after checking all its members; a warning on the log names each newer one and
// what is wrong with it. Error(resource) where a newer one is refused. For one process; `damage` (damage_of)
// is asked about one set after the other, and may have others do their share.
using FindDamage = std::function<std::optional<std::string>(const FoundCheckpoint&)>;
std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints,
                                     const FindDamage& damage);
std::optional<Manifest> newest_whole(env::FileSystem& files, const std::string& checkpoints);

}  // namespace tailrace::checkpoint
