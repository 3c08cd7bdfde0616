// Reads the arrays of a complete checkpoint: any region of an array without the rest.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"
#include "model/state.hpp"

namespace tailrace::checkpoint {

// Any number of processes may read the same checkpoint. One thread; loading may block on the disk. It does
// not verify checksums: checkpoint_check.hpp does that before.
class SavedState final : public model::StateLoader {
 public:
  // Opens the shards; throws Error(resource) that names one that cannot be opened.
  SavedState(env::FileSystem& files, const std::string& checkpoint, const Manifest& manifest);

  std::optional<model::StateArray> find(const std::string& name) const override;
  // Throws Error(resource) with the nearest known name, or with the description of the saved array.
  void load(const model::StateArray& array, const model::Region& region,
            std::span<std::byte> values) const override;

  std::vector<std::string> names() const;  // sorted

 private:
  struct Stored {
    StoredArray stored;
    std::size_t shard = 0;
    Stored(StoredArray of, std::size_t in) : stored(std::move(of)), shard(in) {}
  };
  struct OpenShard {
    std::string path;
    std::unique_ptr<env::File> file;
  };

  std::string checkpoint_;
  std::vector<OpenShard> shards_;
  std::map<std::string, Stored> arrays_;
};

}  // namespace tailrace::checkpoint
