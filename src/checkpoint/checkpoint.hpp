// The description of a checkpoint without the contents of its shards. Layout on disk:
// docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "model/state.hpp"

namespace tailrace::checkpoint {

inline constexpr int format_version = 1;
// A shard has a checksum for each region of this number of bytes.
inline constexpr std::uint64_t region_bytes = std::uint64_t{1} << 20;

struct CheckpointHeader {
  std::string component;
  std::int64_t step = 0;
  double time = 0.0;  // model time, in seconds
  bool operator==(const CheckpointHeader&) const = default;
};

struct StoredArray {
  model::StateArray array;
  std::uint64_t address = 0;  // of all its values in the shard, in C order
  bool operator==(const StoredArray&) const = default;
};

// The place of a shard that is not drained yet.
struct Buffered {
  std::string host;  // the node
  std::string path;  // absolute, on a disk of the node
  bool operator==(const Buffered&) const = default;
};

// A file of a checkpoint, written by one server.
struct Shard {
  std::string name;  // of the file
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> checksums;  // by region (checksums.hpp)
  std::vector<StoredArray> arrays;
  std::optional<Buffered> buffered = {};  // none: it is in the checkpoint's directory
  bool operator==(const Shard&) const = default;

  // Serialises it for the message from the server that wrote it to the one that commits the checkpoint.
  void put(base::ByteWriter& into) const;
  static Shard get(base::ByteReader& from);
};

struct Manifest {
  CheckpointHeader head;
  std::map<std::string, std::string> texts;  // the caller's, in UTF-8, by name; a restart compares them
  std::vector<Shard> shards;
  bool operator==(const Manifest&) const = default;

  std::uint64_t bytes() const;  // of all shards
};

// DIRECTORY/COMPONENT, which contains the component's checkpoints.
std::string checkpoints_path(const std::string& directory, const std::string& component);
std::string checkpoint_path(const std::string& checkpoints, std::int64_t step);

// The step in the name (without path) of a checkpoint's directory; -1 for any other name.
std::int64_t step_of_name(std::string_view name);

inline constexpr const char* manifest_name = "manifest.json";
// For a checkpoint whose shards wait in burst buffers: its future manifest, and where they are.
inline constexpr const char* manifest_on_nodes_name = "manifest.json.on_nodes";
inline constexpr const char* unfinished_copy = ".part";  // appended to the name of a shard
// Whether this room makes files of this name in the directory of a checkpoint.
bool is_checkpoint_file(std::string_view name);
std::string shard_name(int server);  // "state.3.nc"

}  // namespace tailrace::checkpoint
