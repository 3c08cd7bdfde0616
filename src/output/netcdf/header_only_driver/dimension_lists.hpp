// Attaches dimension scales to all variables of a file at once.
#pragma once

#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// Writes the same attributes as H5DSattach_scale would for each variable that is not a scale.
// H5DSattach_scale rewrites the list of a scale for every variable, which takes quadratic time and space: too
// much for the thousands of variables of a checkpoint. `scales`: by index of the dim; `variables`: as in
// spec.
void write_dimension_lists(const DatasetSpec& spec, const std::vector<hid_t>& variables,
                           const std::vector<hid_t>& scales) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
