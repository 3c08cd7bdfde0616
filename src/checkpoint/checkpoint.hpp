// What is known of a set without opening its members. Layout on disk: docs/formats/checkpoint.md.
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
// Members have a checksum for each so many bytes.
inline constexpr std::uint64_t region_bytes = std::uint64_t{1} << 20;

struct CheckpointHeader {
  std::string component;
  std::int64_t step = 0;
  double time = 0.0;  // of the model, in seconds
  bool operator==(const CheckpointHeader&) const = default;
};

struct StoredArray {
  model::StateArray array;
  std::uint64_t address = 0;  // of its values in the member: C order, all of them
  bool operator==(const StoredArray&) const = default;
};

// Where a member lies that is not drained yet.
struct Buffered {
  std::string host;  // the node
  std::string path;  // whole, on its own disk
  bool operator==(const Buffered&) const = default;
};

// One file of a set, written by one server.
struct Shard {
  std::string name;  // of the file
  std::uint64_t bytes = 0;
  std::vector<std::uint32_t> checksums;  // by region (checksums.hpp)
  std::vector<StoredArray> arrays;
  std::optional<Buffered> buffered = {};  // none: it is in the set's directory
  bool operator==(const Shard&) const = default;

  // From the server that wrote it to the one that commits the set.
  void put(base::ByteWriter& into) const;
  static Shard get(base::ByteReader& from);
};

struct Manifest {
  CheckpointHeader head;
  std::map<std::string, std::string> texts;  // the caller's, in UTF-8: what a restart compares, by name
  std::vector<Shard> shards;
  bool operator==(const Manifest&) const = default;

  std::uint64_t bytes() const;  // of all members
};

// DIRECTORY/COMPONENT, where its sets are.
std::string checkpoints_path(const std::string& directory, const std::string& component);
std::string checkpoint_path(const std::string& checkpoints, std::int64_t step);

// The step of a set's directory by its name, without the path; -1 for any other name.
std::int64_t step_of_name(std::string_view name);

inline constexpr const char* manifest_name = "manifest.json";
// Of a set whose members wait in burst buffers: what its manifest will be, and where they are.
inline constexpr const char* manifest_on_nodes_name = "manifest.json.on_nodes";
inline constexpr const char* unfinished_copy = ".part";  // behind the name of a member
// Whether the room makes files of this name in the directory of a set.
bool is_checkpoint_file(std::string_view name);
std::string shard_name(int server);  // "state.3.nc"

}  // namespace tailrace::checkpoint
