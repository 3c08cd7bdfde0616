// A file without unused space: the copy of a file that has ended.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/file_system.hpp"
#include "output/netcdf/repack/stored.hpp"

namespace tailrace::output::netcdf {

// Whether a file of `bytes` should be copied: a file with compressed variables if more than a twentieth of it
// is unused (a 64th, and 24 KiB, if that is less; half, where the copy would be large), and one without if
// its variables are short series whose only chunks are mostly empty. Their empty room takes none on the
// device, so that copy must be small, or small beside the length of the file.
bool is_worth_a_copy(const StoredFile& stored, std::uint64_t bytes);

// Writes the variables of `file` to a new file, with all chunks encoded, and gives it the name `place` once
// it is whole. Short series without compression get a chunk of their length, unless the file keeps_chunks.
// Returns the new file, which the caller closes. Throws Error(resource), and then the name still belongs to
// the old file. Takes the Hdf5Lock at times.
std::unique_ptr<env::File> copy_to_new_file(AtomicFile& file, const StoredFile& stored,
                                            env::FileSystem& files, const std::string& place, bool sync);

// The bytes of a chunk decoded: all of its cells, with the fill value where nothing was written.
Bytes read_cells(const AtomicFile& file, const StoredVariable& variable, const StoredChunk& chunk);
// `cells` encoded as the variable's header says. `shape`: that of the chunk.
Bytes encoded(const StoredVariable& variable, const Bytes& cells, const std::vector<std::int64_t>& shape);

}  // namespace tailrace::output::netcdf
