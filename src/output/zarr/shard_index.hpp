// The index of a shard, as the codec `sharding_indexed` of the Zarr v3 specification defines it: for each
// chunk its offset in the file and its size, each as a little-endian integer of 64 bits, in C order of the
// chunks. It is at the end of the file, followed by its CRC-32C. A chunk that is absent has the fill value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "env/file.hpp"

namespace tailrace::output::zarr {

class ShardIndex {
 public:
  struct Place {
    std::uint64_t offset = 0, size = 0;  // bytes
    bool operator==(const Place&) const = default;
  };

  explicit ShardIndex(std::size_t chunks) : places_(chunks) {}  // without any chunk

  static std::uint64_t bytes_of(std::size_t chunks) { return 16 * chunks + 4; }  // with the checksum

  // `bytes`: the last bytes_of(chunks) of a file of `file_size` bytes. Throws Error(resource) for a wrong
  // checksum, and for a chunk that is not within the file before the index.
  static ShardIndex decoded(std::span<const std::byte> bytes, std::size_t chunks, std::uint64_t file_size);
  // Reads the end of a shard. Throws as decoded(), and for a file that is too short.
  static ShardIndex read(const env::File& file, std::size_t chunks);
  std::vector<std::byte> encoded() const;

  std::size_t size() const { return places_.size(); }
  const std::optional<Place>& at(std::size_t chunk) const { return places_.at(chunk); }
  void set(std::size_t chunk, std::optional<Place> place) { places_.at(chunk) = place; }
  std::uint64_t end() const;  // of the last chunk in the file

 private:
  std::vector<std::optional<Place>> places_;
};

}  // namespace tailrace::output::zarr
