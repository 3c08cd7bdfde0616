// A server that writes chunks and shards to a Zarr store, beside others, and no metadata.
//
// The metadata, which the home writes, count records after all writers have written them. Records ahead of
// the metadata are as those that a killed run leaves: no reader opens them, and a run that continues the
// store removes them.
#pragma once

#include <memory>
#include <optional>

#include "output/dataset.hpp"
#include "output/zarr/chunk_writer.hpp"
#include "output/zarr/folder_store.hpp"

namespace tailrace::output::zarr {

class ZarrWriter final : public Dataset {
 public:
  // `store`: that of the writer, not marked yet. The first commit marks it.
  ZarrWriter(const DatasetSpec& spec, std::unique_ptr<FolderStore> store);

  void commit(const Commit& commit) override;
  void close() override;
  // The bytes that this writer has added. It may be negative, modulo 2^64, where a shard became smaller.
  std::uint64_t bytes_on_disk() const override { return store_->bytes(); }

 private:
  DatasetSpec spec_;
  std::unique_ptr<FolderStore> store_;
  ChunkWriter writer_;
  bool has_mark_ = false;
  bool closed_ = false;
};

}  // namespace tailrace::output::zarr
