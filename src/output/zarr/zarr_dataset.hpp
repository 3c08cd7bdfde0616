// A Zarr store that grows by commits.
//
// A commit writes in this order:
// 1. Chunks. A chunk with only new records is written directly, since no reader opens it yet. Any other
//    chunk is written under a temporary name and renamed. New records of an uncompressed chunk are written
//    in place, after its older ones. Chunks of a shard are written together, in a new version of the shard.
// 2. The `zarr.json` of each array that grows, those of coordinates last.
// 3. The `zarr.json` of the store, which contains the metadata of all arrays. This is the commit: readers of
//    the consolidated metadata, such as xarray, see all of it or nothing.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/shard_file.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

class ZarrDataset final : public Dataset {
 public:
  // `group`: the present metadata of the store. `lengths`: the present lengths of all dims.
  ZarrDataset(const DatasetSpec& spec, std::unique_ptr<Store> store, Json group,
              std::vector<std::int64_t> lengths);

  void commit(const Commit& commit) override;
  void close() override;
  std::uint64_t bytes_on_disk() const override { return store_.bytes(); }

 private:
  using Shape = std::vector<std::int64_t>;
  void write_chunks(const std::vector<EncodedChunk>& chunks);
  void write(const EncodedChunk& chunk);
  void write_shard(const Shape& corner, const std::vector<const EncodedChunk*>& chunks);
  std::optional<OpenShard> shard_before(const VariableSpec& variable, const Shape& shard,
                                        const Shape& corner) const;
  void add_to_shard(ShardWriter& writer, const EncodedChunk& chunk, const OpenShard* before) const;
  void write(const PlainValues& values);
  void write_records(const PlainValues& values);
  bool add_records(const EncodedChunk& chunk, const std::string& name);
  // A chunk merged with the records that are kept from an earlier run. `file`: the chunk as it is stored.
  EncodedChunk joined(const EncodedChunk& chunk, std::span<const std::byte> file, std::int64_t kept) const;
  std::size_t bytes_of_record(const VariableSpec& variable) const;  // of one record within a chunk
  std::int64_t kept_of(const VariableSpec& variable) const;
  bool is_unseen(const VariableSpec& variable, std::int64_t first) const;
  bool is_kept_whole(const VariableSpec& variable) const;

  DatasetSpec spec_;
  std::unique_ptr<Store> owned_;
  Store& store_;
  Json group_;
  std::vector<Shape> shards_;  // the shape of the shards of each variable; empty: none
  std::vector<std::int64_t> lengths_;
  bool closed_ = false;
};

// Calls `work` and prefixes the messages of its errors with the path.
template <class Work>
void about(const std::string& path, Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    throw Error(error.code(), path + ": " + error.what());
  }
}

// set_lengths() puts the lengths of growing arrays into the metadata of the store. The other two list these
// arrays in the order in which they are written, coordinates last, and write their own metadata.
void set_lengths(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths, Json& group);
std::vector<const VariableSpec*> growing_variables(const DatasetSpec& spec);
void write_arrays(Store& store, const Json& group, const std::vector<const VariableSpec*>& variables);

}  // namespace tailrace::output::zarr
