// What a file holds that an earlier run wrote, for one that is to go on with it.
#pragma once

#include <map>
#include <string>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// By the name of the dim. Takes the Hdf5Lock. Throws Error(resource) for a file that cannot be read, or that
// Tailrace has not written.
std::map<std::string, ExistingAxis> read_axes(const std::string& path) TAILRACE_EXCLUDES(hdf5_mutex);

// Whether the file has the variables of the spec, in its types, shapes, chunks and encodings, and no others
// along its growing dims. Throws Error(resource) that names what differs first.
void check_fits(hid_t file, const DatasetSpec& spec) TAILRACE_REQUIRES(hdf5_mutex);

// Whether the growing dims of the file are as long as spec.kept says.
bool has_lengths(hid_t file, const DatasetSpec& spec) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
