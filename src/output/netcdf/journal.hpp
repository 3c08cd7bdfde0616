// The bytes that a commit changes in place, written behind the end of the file before any of them is changed.
// A commit that is cut off while it changes them is finished from there. Layout on disk:
// docs/formats/netcdf.md.
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
  std::uint64_t begin = 0;     // where it starts in the file; it ends where the file ends
  std::uint64_t length = 0;    // of the file when the commit is finished
  std::vector<Patch> patches;  // to be applied in this order
};

// Writes the journal as the last thing in the file; what lay behind `journal.begin` is gone.
void write_journal(env::File& file, const Journal& journal);

// The journal at the end of the file, if there is a whole one.
std::optional<Journal> read_journal(const env::File& file);

// Applies the patches; may be done any number of times. `sync`: the others are on the device before the last
// one is written, and all of them when it returns.
void apply_journal(env::File& file, const Journal& journal, bool sync);

// For the journal that a file was found with: applies the patches, and cuts it off; each step is on the
// device before the next begins. May be done any number of times.
void finish_journal(env::File& file, const Journal& journal);

}  // namespace tailrace::output::netcdf
