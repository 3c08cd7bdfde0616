// A store that an earlier run left, for one that is to go on with it or to tell of it.
#pragma once

#include <map>
#include <string>

#include "output/format.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

// The document of the store. Throws Error(resource) where there is none, or where Tailrace did not write it.
Json read_group(const Store& store);

// By the name of the dim: its coordinate, and the bounds.
std::map<std::string, ExistingAxis> read_axes(const Store& store, const Json& group);

// Whether the store has the variables of the spec, in its types, shapes, chunks and encodings, and no others
// along its growing dims. Throws Error(resource) that names what differs first.
void check_fits(const Json& group, const DatasetSpec& spec);

// Removes what is behind spec.kept, from the metadata first, and what a run that was killed left there.
void roll_back(Store& store, Json& group, const DatasetSpec& spec, const std::vector<std::int64_t>& lengths);

// Whether a store can be read, and whether all of its metadata tell of the last commit; makes them so where
// `repair` says so.
Inspection inspect(const std::string& path, bool repair);
bool is_store(const std::string& path);

}  // namespace tailrace::output::zarr
