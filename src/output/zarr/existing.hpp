// Reads, checks and repairs a store of an earlier run, before this run appends to it or inspects it.
#pragma once

#include <map>
#include <string>

#include "output/format.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

// The metadata of the store. Throws Error(resource) if it has none or Tailrace did not write it.
Json read_group(const Store& store);

// The time axes, by the name of their dim.
std::map<std::string, ExistingAxis> read_axes(const Store& store, const Json& group);
// The fill value of each variable that has a `_FillValue`.
std::map<std::string, model::FillValue> read_fills(const Json& group);

// For each variable whose values were rounded: the bound and the errors in its attributes.
std::map<std::string, codecs::lossy::ExistingBound> read_bounds(const Json& group);

// The spec with the shards of the store in its options, unless the user chose shards. Then check_fits()
// compares them.
DatasetSpec with_shards_of(const Json& group, const DatasetSpec& spec);

// Checks that the store has the variables of the spec with the same types, shapes, chunks, shards and codecs,
// and no other variables along unlimited dims. Throws Error(resource) that names the first difference.
void check_fits(const Json& group, const DatasetSpec& spec);

// Removes all records after spec.kept, first from the metadata and then their chunks, and the chunks that a
// killed run left there.
void roll_back(Store& store, Json& group, const DatasetSpec& spec, const std::vector<std::int64_t>& lengths);

// Whether a store can be read, and whether the metadata of all arrays are those of the last commit. `repair`:
// rewrites the metadata of arrays that are not. Does not throw for a damaged store.
Inspection inspect(const std::string& path, bool repair);
bool is_store(const std::string& path);

}  // namespace tailrace::output::zarr
