// Attributes, as netCDF-C stores them.
#pragma once

#include <string>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// Text becomes NC_CHAR (fixed length), a number an array of one, in the file's little-endian type. Wants the
// Hdf5Lock.
void write_attribute(hid_t object, const std::string& name, const AttributeValue& value);

// netCDF-C's own hidden attributes.
void write_scalar(hid_t object, const char* name, int value);
void write_list(hid_t object, const char* name, const std::vector<int>& values);

}  // namespace tailrace::output::netcdf
