// Reads and checks a file of an earlier run before this run appends to it.
#pragma once

#include <map>
#include <string>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// The time axes of the file, by the name of their dim: coordinate variables, or else the text that each
// record has. Takes the Hdf5Lock. Throws Error(resource) for a file that cannot be read or that Tailrace did
// not write.
std::map<std::string, ExistingAxis> read_axes(const std::string& path) TAILRACE_EXCLUDES(hdf5_mutex);
// The `_FillValue` of each variable that has one.
std::map<std::string, model::FillValue> read_fills(const std::string& path) TAILRACE_EXCLUDES(hdf5_mutex);

// For each variable whose values were rounded: the bound and the errors in its attributes.
std::map<std::string, codecs::lossy::ExistingBound> read_bounds(const std::string& path)
    TAILRACE_EXCLUDES(hdf5_mutex);

// Checks that the file has the variables of the spec with the same types, shapes, chunks and filters, and no
// other variables along unlimited dims. The only chunk of a short series may have fewer records. Throws
// Error(resource) that names the first difference.
void check_fits(hid_t file, const DatasetSpec& spec) TAILRACE_REQUIRES(hdf5_mutex);

// Whether the unlimited dims of the file have exactly the lengths in spec.kept, and the variables exactly the
// chunks of the spec.
bool can_grow_in_place(hid_t file, const DatasetSpec& spec) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
