// The classic model of netCDF in a NetCDF-4 file: one dimension that grows, and the types of netCDF-3. A file
// states that it keeps to it, and readers such as netCDF4.MFDataset require that.
#pragma once

#include "output/dataset.hpp"

namespace tailrace::output::netcdf {

// Whether the file is written in the classic model, as its options say; `spec` is then changed where it has
// whole numbers as attributes that a smaller type holds. Throws Error(configuration) that names the first
// thing that the model cannot express, if the options require it.
bool make_classic(DatasetSpec& spec);

}  // namespace tailrace::output::netcdf
