// Which dimension scales a variable has, written for all variables at once.
#pragma once

#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// What H5DSattach_scale makes of each variable that is no scale itself. That function writes the list of a
// scale anew for each variable, which takes its square in time and space where there are thousands.
// `scales`: by number of the dim; `variables`: as in spec.
void write_dimension_lists(const DatasetSpec& spec, const std::vector<hid_t>& variables,
                           const std::vector<hid_t>& scales) TAILRACE_REQUIRES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
