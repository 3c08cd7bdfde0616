// One commit through HDF5: open the file, extend the datasets, write, close.
#pragma once

#include <cstdint>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/atomic_file.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// Takes the Hdf5Lock. Requires that file.begin() was called. The caller then commits the file, or abandons it
// if this throws Error(resource). `before` and `after`: the lengths of the dims. Chunks that contain records
// kept from an earlier run (spec.kept) are merged with these.
void write_step(AtomicFile& file, const DatasetSpec& spec, const Commit& commit,
                const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after)
    TAILRACE_EXCLUDES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
