// `netcdf:` of a file.
#pragma once

#include "output/format.hpp"

namespace tailrace::output::netcdf {

// The contents that a file may have: those of netCDF-4, or those of netCDF-3, though it is stored as HDF5.
enum class DataModel { netcdf4, classic, classic_where_possible };

struct Options {
  DataModel data_model = DataModel::netcdf4;

  bool operator==(const Options&) const = default;
};

FormatSection options_section();

}  // namespace tailrace::output::netcdf
