// A redo journal (write-ahead log, as in databases and journalling file systems): a commit writes the bytes
// that it will change in place after the end of the file before it changes any of them. If the process is
// killed while it changes them, the commit is completed from the journal; without it, the chunk indices would
// be left half changed. Applying a journal is idempotent. Its checksum distinguishes a complete journal from
// a torn one, which is ignored. Layout on disk: docs/formats/netcdf.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "env/file.hpp"

namespace tailrace::output::netcdf {

struct Patch {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};

struct Journal {
  std::uint64_t begin = 0;     // its address in the file; it ends at the end of the file
  std::uint64_t length = 0;    // of the file after the commit
  std::vector<Patch> patches;  // applied in this order
};

// Truncates the file at `journal.begin` and writes the journal there, as the last bytes of the file.
void write_journal(env::File& file, const Journal& journal);

// The journal at the end of the file, if there is a complete one.
std::optional<Journal> read_journal(const env::File& file);

// Applies the patches; idempotent. `sync`: flushes all patches but the last to the device before the last is
// written, and that one before it returns.
void apply_journal(env::File& file, const Journal& journal, bool sync);

// For the journal of an existing file: applies the patches and then truncates the journal. Each step is
// flushed to the device before the next begins. Idempotent.
void finish_journal(env::File& file, const Journal& journal);

}  // namespace tailrace::output::netcdf
