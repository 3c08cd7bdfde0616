// A Zarr store that grows by commits.
//
// A commit writes in this order:
//   1. chunks: those behind all records in their place, where nobody looks yet; any other one beside it and
//      then by a rename; records that join others of a chunk that is not compressed behind these;
//   2. the `zarr.json` of each array that grows, those of coordinates last;
//   3. the `zarr.json` of the store, with the metadata of all arrays in it. This is the commit: readers that
//      take the consolidated metadata, as xarray does, see all of it or nothing.
#pragma once

#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

class ZarrDataset final : public Dataset {
 public:
  // `group`: the document of the store, as it is there. `lengths`: of all dims, so many records are in it.
  ZarrDataset(const DatasetSpec& spec, Store store, Json group, std::vector<std::int64_t> lengths);

  void commit(const Commit& commit) override;
  void close() override;
  std::uint64_t bytes_on_disk() const override { return store_.bytes(); }

 private:
  void write(const EncodedChunk& chunk);
  void write(const PlainValues& values);
  void write_records(const PlainValues& values);
  bool add_records(const EncodedChunk& chunk, const std::string& name);
  // A chunk with the records in it that an earlier run left.
  std::vector<std::byte> joined(const EncodedChunk& chunk, const std::string& name, std::int64_t kept) const;
  std::size_t bytes_of_record(const VariableSpec& variable) const;  // of one in chunks
  std::int64_t kept_of(const VariableSpec& variable) const;
  bool is_unseen(const VariableSpec& variable, std::int64_t first) const;
  bool is_kept_whole(const VariableSpec& variable) const;

  DatasetSpec spec_;
  Store store_;
  Json group_;
  std::vector<std::int64_t> lengths_;
  bool closed_ = false;
};

// Calls `work`; its errors are told of this path.
template <class Work>
void about(const std::string& path, Work work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) throw;
    throw Error(error.code(), path + ": " + error.what());
  }
}

// The shapes of growing arrays in the document of the store, and the documents of these arrays in the order
// in which they are to be written: coordinates last.
void set_lengths(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths, Json& group);
std::vector<const VariableSpec*> growing_variables(const DatasetSpec& spec);
void write_arrays(Store& store, const Json& group, const std::vector<const VariableSpec*>& variables);

}  // namespace tailrace::output::zarr
