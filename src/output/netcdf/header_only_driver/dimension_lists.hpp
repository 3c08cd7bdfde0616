// Attaches dimension scales to all variables of a file at once.
#pragma once

#include <vector>

#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

struct Dimensioned {  // a variable that is not a scale
  hid_t variable = -1;
  std::vector<int> dims;
};

// Writes the same attributes as H5DSattach_scale would for each variable. H5DSattach_scale rewrites the list
// of a scale for every variable, which takes quadratic time and space: 17 kB for 20 series, and too much for
// the thousands of variables of a checkpoint. `scales`: by index of the dim.
void write_dimension_lists(const std::vector<Dimensioned>& variables, const std::vector<hid_t>& scales)
    TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
