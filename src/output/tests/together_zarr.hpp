// A Zarr store that a home and several writers write, as one dataset: for all that the contract of a format
// asks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "output/tests/sharded_sample.hpp"

namespace tailrace::output::testing {

inline const Format& zarr_format() { return *find_format("zarr"); }

inline zarr::Options by_all() {
  zarr::Options options;
  options.writers = zarr::Writers::all;
  return options;
}

// The commit of one writer: the chunks of every `writers`-th shard. Without `writer` what the home commits.
inline Commit share_of(const DatasetSpec& spec, const Commit& commit, int writer) {
  Commit share{.lengths = commit.lengths, .chunks = {}, .values = {}, .last = commit.last};
  if (writer < 0) {
    share.values = commit.values;
    share.attributes = commit.attributes;
    return share;
  }
  for (const EncodedChunk& chunk : commit.chunks) {
    const auto cells = zarr_format().cells_of_file(spec, spec.variables[base::index(chunk.variable)]);
    std::int64_t number = chunk.variable;
    for (std::size_t d = 0; d < cells.size(); ++d) number += chunk.offset[d] / cells[d];
    if (number % spec.writers->count == writer) share.chunks.push_back(chunk);
  }
  return share;
}

class TogetherDataset final : public Dataset {
 public:
  TogetherDataset(const DatasetSpec& spec, env::FileSystem& files)
      : spec_(spec), home_(zarr_format().create(spec, files)) {
    for (int i = 0; i < spec.writers->count; ++i)
      writers_.push_back(zarr_format().open_writer(spec, i, files));
  }
  void commit(const Commit& commit) override {
    for (std::size_t i = 0; i < writers_.size(); ++i)
      writers_[i]->commit(share_of(spec_, commit, static_cast<int>(i)));
    home_->commit(share_of(spec_, commit, -1));
  }
  void close() override {
    for (const auto& writer : writers_) writer->close();
    home_->close();
  }
  std::uint64_t bytes_on_disk() const override {
    std::uint64_t bytes = home_->bytes_on_disk();
    for (const auto& writer : writers_) bytes += writer->bytes_on_disk();
    return bytes;
  }

 private:
  DatasetSpec spec_;
  std::unique_ptr<Dataset> home_;
  std::vector<std::unique_ptr<Dataset>> writers_;
};

class TogetherFormat final : public Format {
 public:
  std::string name() const override { return "zarr"; }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  bool can_append() const override { return true; }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    return zarr_format().existing_axes(path);
  }
  std::map<std::string, model::FillValue> existing_fills(const std::string& path) const override {
    return zarr_format().existing_fills(path);
  }
  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const override {
    DatasetSpec own = sharded(spec, by_all());
    own.writers = ManyWriters{3, "a token"};
    return std::make_unique<TogetherDataset>(own, files);
  }
  using Format::create;
};

}  // namespace tailrace::output::testing
