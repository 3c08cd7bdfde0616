// The records of an earlier run that a file keeps when a run appends to it (DatasetSpec::kept).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/driver.hpp"

namespace tailrace::output::netcdf {

// The number of kept records, by dim of the spec; 0 for a dim of fixed size.
std::vector<std::int64_t> kept_lengths(const DatasetSpec& spec);

// The chunk, decoded, with its records before `kept` replaced by those in the file; nothing if all of its
// records are new. `kept`: kept records along the variable's first dim.
std::optional<std::vector<std::byte>> joined(hid_t dataset, const VariableSpec& variable,
                                             const EncodedChunk& chunk, std::int64_t kept)
    TAILRACE_REQUIRES(hdf5_mutex);

// Reads the kept records of an old file as a sequence of commits of some 64 MiB, which the caller writes to a
// new file of the same spec. An HDF5 file cannot lose records in place without breaking concurrent readers,
// so the old file stays as it is until the copy replaces it. `file` and `spec` must outlive this object.
class KeptRecords {
 public:
  KeptRecords(AtomicFile& file, const DatasetSpec& spec) TAILRACE_EXCLUDES(hdf5_mutex);
  ~KeptRecords();
  KeptRecords(const KeptRecords&) = delete;
  KeptRecords& operator=(const KeptRecords&) = delete;

  std::optional<Commit> next() TAILRACE_EXCLUDES(hdf5_mutex);

 private:
  std::size_t add_variable(Commit& commit) TAILRACE_REQUIRES(hdf5_mutex);
  std::size_t add_chunk(Commit& commit, hid_t dataset) const TAILRACE_REQUIRES(hdf5_mutex);
  bool advance();  // moves offset_ to the next chunk of the variable; false after the last

  const DatasetSpec& spec_;
  std::vector<std::int64_t> lengths_;
  Id hdf5_;
  std::size_t variable_ = 0;
  std::vector<std::int64_t> offset_;  // of the next chunk
};

}  // namespace tailrace::output::netcdf
