// Writes the chunks and values of commits to a Zarr store, but no metadata.
//
// A chunk with only new records is written directly, since no reader opens it yet. Any other chunk is written
// under a temporary name and renamed. New records of an uncompressed chunk are written in place, after its
// older ones. Chunks of a shard are written together, in a new version of the shard.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/zarr/shard_file.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

class ChunkWriter {
 public:
  // `lengths`: the present lengths of all dims. `spec` and `store` must live longer.
  ChunkWriter(const DatasetSpec& spec, Store& store, std::vector<std::int64_t> lengths);

  void write(const std::vector<EncodedChunk>& chunks);
  void write(const PlainValues& values);

  // Call set_lengths() after all of a commit is written. Where another server writes the metadata, these may
  // count fewer records, never more.
  const std::vector<std::int64_t>& lengths() const { return lengths_; }
  void set_lengths(std::vector<std::int64_t> lengths) { lengths_ = std::move(lengths); }

 private:
  using Shape = std::vector<std::int64_t>;
  void write(const EncodedChunk& chunk);
  void write_shard(const Shape& corner, const std::vector<const EncodedChunk*>& chunks);
  std::optional<OpenShard> shard_before(const VariableSpec& variable, const Shape& shard,
                                        const Shape& corner) const;
  void add_to_shard(ShardWriter& writer, const EncodedChunk& chunk, const OpenShard* before) const;
  void write_records(const PlainValues& values);
  bool add_records(const EncodedChunk& chunk, const std::string& name);
  // A chunk merged with the records that are kept from an earlier run. `file`: the chunk as it is stored.
  EncodedChunk joined(const EncodedChunk& chunk, std::span<const std::byte> file, std::int64_t kept) const;
  std::size_t bytes_of_record(const VariableSpec& variable) const;  // of one record within a chunk
  std::int64_t kept_of(const VariableSpec& variable) const;
  bool is_unseen(const VariableSpec& variable, std::int64_t first) const;
  bool is_kept_whole(const VariableSpec& variable) const;

  const DatasetSpec& spec_;
  Store& store_;
  std::vector<Shape> shards_;  // the shape of the shards of each variable; empty: none
  std::vector<std::int64_t> lengths_;
};

}  // namespace tailrace::output::zarr
