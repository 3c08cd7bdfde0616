// The sample dataset with shards, and `format: zarr` with shards for all that the contract of a format asks.
#pragma once

#include <utility>

#include "output/testing/sample_dataset.hpp"
#include "output/zarr/options.hpp"

namespace tailrace::output::testing {

// Shards of four records of theta, of six of flux, and of all of mask. Commits of one record extend them.
inline constexpr std::int64_t sharded_records = 4;

inline DatasetSpec sharded(DatasetSpec spec, zarr::Options options = {}) {
  if (options.shard_records == 0) options.shard_records = sharded_records;
  options.are_given = true;
  spec.options = wrap_options(std::move(options));
  for (VariableSpec& variable : spec.variables)
    if (variable.name == "theta" || variable.name == "flux" || variable.name == "mask")
      variable.is_field = true;
  return spec;
}

class ShardedZarr final : public Format {
 public:
  explicit ShardedZarr(zarr::Options options = {}) : options_(std::move(options)) {}

  std::string name() const override { return zarr_.name(); }
  bool can_replace_chunks() const override { return zarr_.can_replace_chunks(); }
  bool makes_files() const override { return zarr_.makes_files(); }
  bool can_append() const override { return zarr_.can_append(); }
  std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const override {
    return zarr_.existing_axes(path);
  }
  std::map<std::string, model::FillValue> existing_fills(const std::string& path) const override {
    return zarr_.existing_fills(path);
  }
  std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const override {
    return zarr_.create(sharded(spec, options_), files);
  }
  using Format::create;

 private:
  const Format& zarr_ = *find_format("zarr");
  zarr::Options options_;
};

}  // namespace tailrace::output::testing
