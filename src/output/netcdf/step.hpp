// One commit as HDF5 sees it: open, extend, write, close.
#pragma once

#include <cstdint>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/atomic_file.hpp"
#include "output/netcdf/hdf5.hpp"

namespace tailrace::output::netcdf {

// Takes the Hdf5Lock. Wants file.begin() to have been called; the caller commits the file, or abandons it
// where this throws Error(resource). `before` and `after`: the dims' lengths. Records of an earlier run that
// spec.kept counts join the new ones of their chunk.
void write_step(AtomicFile& file, const DatasetSpec& spec, const Commit& commit,
                const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after)
    TAILRACE_EXCLUDES(hdf5_mutex);

}  // namespace tailrace::output::netcdf
