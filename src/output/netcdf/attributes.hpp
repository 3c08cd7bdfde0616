// Attributes, as netCDF-C stores them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// Text becomes NC_CHAR (fixed length), a number an array of one, in the file's little-endian type.
void write_attribute(hid_t object, const std::string& name, const AttributeValue& value)
    TAILRACE_REQUIRES(hdf5_mutex);

// The same, in place of one of this name, if there is one.
void replace_attribute(hid_t object, const std::string& name, const AttributeValue& value)
    TAILRACE_REQUIRES(hdf5_mutex);

// netCDF-C's own hidden attributes.
void write_scalar(hid_t object, const char* name, int value) TAILRACE_REQUIRES(hdf5_mutex);
void write_list(hid_t object, const char* name, const std::vector<int>& values) TAILRACE_REQUIRES(hdf5_mutex);

// The text of an attribute; empty if there is none of this name, or one of another type.
std::string read_text_attribute(hid_t object, const char* name) TAILRACE_REQUIRES(hdf5_mutex);
// Its number; nothing if there is none of this name, or one of another type or of several numbers.
std::optional<double> read_number_attribute(hid_t object, const char* name) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
