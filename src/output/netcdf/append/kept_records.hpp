// The records that stay in a file which a run goes on with.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "output/dataset.hpp"
#include "output/netcdf/driver.hpp"

namespace tailrace::output::netcdf {

// How many records stay, by dim of the spec; 0 for a dim that does not grow.
std::vector<std::int64_t> kept_lengths(const DatasetSpec& spec);

// The chunk with the records before `kept` as they are in the file, not encoded; nothing where all of its
// records are new. `kept`: records of the variable's first dim.
std::optional<std::vector<std::byte>> joined(hid_t dataset, const VariableSpec& variable,
                                             const EncodedChunk& chunk, std::int64_t kept)
    TAILRACE_REQUIRES(hdf5_mutex);

// Reads what stays out of an old file, as commits of some 64 MiB into a new one of the same spec. The file
// must outlive it.
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
  bool advance();  // to the next chunk of the variable, if there is one

  const DatasetSpec& spec_;
  std::vector<std::int64_t> lengths_;
  Id hdf5_;
  std::size_t variable_ = 0;
  std::vector<std::int64_t> offset_;  // of the chunk that comes next
};

}  // namespace tailrace::output::netcdf
