// The part of a NetCDF-4 file that is written at its creation: dimensions, variables and attributes, in the
// form of netCDF-C.
#pragma once

#include <functional>
#include <string>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

Id header_creation_properties() TAILRACE_REQUIRES(hdf5_mutex);  // for the file itself

// Called before a variable without chunks is created. If it returns true, the variable's space is allocated
// at once and not filled.
using BeforeVariable = std::function<bool(std::size_t variable)>;

// Writes the header of a new, empty file. Throws Error(configuration) for a fill value that the variable's
// type cannot hold, Error(resource) if HDF5 fails.
void write_header(hid_t file, const DatasetSpec& spec, const BeforeVariable& before = {})
    TAILRACE_REQUIRES(hdf5_mutex);

// The HDF5 name of a variable: its own name, with netCDF-C's prefix if it has the name of a dimension and is
// not that dimension's coordinate variable.
std::string variable_link(const DatasetSpec& spec, std::size_t variable);

// How the name of a dimension scale begins that is no variable, as netCDF-C writes it.
inline constexpr const char* bare_dimension = "This is a netCDF dimension but not a netCDF variable.";

// Whether a dimension has no coordinate variable. It then needs an HDF5 dataset of its own, with the
// dimension's name.
bool is_bare(const DatasetSpec& spec, std::size_t dim);

hid_t memory_type(model::DataType type);
hid_t memory_type(const VariableSpec& variable);

}  // namespace tailrace::output::netcdf
