// The part of a NetCDF-4 file that is there from the beginning: dimensions, variables, attributes, as
// netCDF-C writes them.
#pragma once

#include <functional>
#include <string>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

Id header_creation_properties() TAILRACE_REQUIRES(hdf5_mutex);  // for the file itself

// Called before a variable is created: whether it gets the place of its values now, and they are left as they
// are. Only for variables without chunks.
using BeforeVariable = std::function<bool(std::size_t variable)>;

// Fills a new, empty file. Throws Error(configuration) for a fill value that the
// variable's type cannot hold, Error(resource) for what HDF5 refuses.
void write_header(hid_t file, const DatasetSpec& spec, const BeforeVariable& before = {})
    TAILRACE_REQUIRES(hdf5_mutex);

// The HDF5 name of a variable: its own, but for one that has a dimension's name and does not lie along that
// dimension.
std::string variable_link(const DatasetSpec& spec, std::size_t variable);

// Whether a dimension has no coordinate variable, and so a dataset that stands for it alone (of the
// dimension's name).
bool is_bare(const DatasetSpec& spec, std::size_t dim);

hid_t memory_type(model::DataType type);

}  // namespace tailrace::output::netcdf
