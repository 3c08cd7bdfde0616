// A Zarr store that grows by commits.
//
// A commit writes in this order:
// 1. Chunks, and values such as times (chunk_writer.hpp).
// 2. The `zarr.json` of each array that grows, those of coordinates last.
// 3. The `zarr.json` of the store, which contains the metadata of all arrays. This is the commit: readers of
//    the consolidated metadata, such as xarray, see all of it or nothing.
//
// Where many servers write the store, each has a ZarrWriter for its chunks, and a commit of the ZarrDataset
// has none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/zarr/chunk_writer.hpp"
#include "output/zarr/metadata.hpp"
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
  DatasetSpec spec_;
  std::unique_ptr<Store> owned_;
  Store& store_;
  Json group_;
  ChunkWriter writer_;
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

// The lengths of all dims before the first commit: the records that are kept.
std::vector<std::int64_t> lengths_to_begin(const DatasetSpec& spec);

// Throws Error(resource) unless the store is still the one that this session writes.
void check_in_place(Store& store);

// set_lengths() puts the lengths of growing arrays into the metadata of the store. The other two list these
// arrays in the order in which they are written, coordinates last, and write their own metadata.
void set_lengths(const DatasetSpec& spec, const std::vector<std::int64_t>& lengths, Json& group);
std::vector<const VariableSpec*> growing_variables(const DatasetSpec& spec);
void write_arrays(Store& store, const Json& group, const std::vector<const VariableSpec*>& variables);

}  // namespace tailrace::output::zarr
