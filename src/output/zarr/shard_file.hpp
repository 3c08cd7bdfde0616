// Reads and writes shards. A shard is written as a whole: to a new file, which then gets its name.
//
// A reader fetches the index of a shard first and the chunks that it wants afterwards, each from the file
// that has the name at that moment. So a new version of a shard begins with the bytes of the old one: every
// chunk that was there keeps its offset, and an index that a reader fetched before stays valid. New chunks
// follow, and then the index. A chunk that was replaced, because it was not full, stays as unused space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "output/zarr/shard_index.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

// An existing shard.
struct OpenShard {
  std::unique_ptr<env::File> file;
  ShardIndex index;

  std::vector<std::byte> chunk(std::size_t number) const;  // which the index has
};

// Throws Error(resource) that names the file.
OpenShard open_shard(const Store& store, const std::string& name, std::size_t chunks);

class ShardWriter {
 public:
  // `file`: new and empty. `before`: the version that this one extends; null: none.
  ShardWriter(env::File& file, const OpenShard* before, std::size_t chunks);

  // Adds a chunk of `size` bytes, or of `front` and `body` if these are more; zeros follow them. Where
  // `keeps_place`, a chunk of the same size in the version before is overwritten: its visible cells are
  // equal.
  void add(std::size_t number, std::span<const std::byte> front, std::span<const std::byte> body,
           std::uint64_t size, bool keeps_place);
  std::uint64_t finish();  // writes the index; returns the size of the file

 private:
  env::File& file_;
  ShardIndex index_;
  std::uint64_t end_ = 0;
};

}  // namespace tailrace::output::zarr
