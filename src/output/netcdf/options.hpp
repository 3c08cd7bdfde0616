// `netcdf:` of a file.
#pragma once

#include "output/format.hpp"

namespace tailrace::output::netcdf {

// What a file may contain: what netCDF-4 can express, or netCDF-3, though it is stored as HDF5.
enum class DataModel { netcdf4, classic, classic_where_possible };

struct Options {
  DataModel data_model = DataModel::netcdf4;

  bool operator==(const Options&) const = default;
};

FormatSection options_section();

}  // namespace tailrace::output::netcdf
