// The last change of a file: no chunk lies raw, and no space is wasted where that can be helped.
//
// While a file grows, a chunk that several commits fill lies raw in a place of its full size, and each commit
// has a copy of the headers. Neither is of use once the file has ended, and readers that take chunks out of
// the file by themselves (kerchunk, VirtualiZarr, jHDF) do not look at the filter mask that marks a raw
// chunk. So raw chunks are encoded, and their variables get new indices. Either this is one more commit, or,
// if much of the file would then be unused, the whole is copied to a new file, which takes the name. In both
// cases a reader, and a kill, find the state before or the state after.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "env/file_system.hpp"
#include "output/netcdf/atomic_file.hpp"

namespace tailrace::output::netcdf {

struct Repacked {
  std::uint64_t chunks = 0;        // that were raw and are encoded now
  std::uint64_t bytes_before = 0;  // of the file
  // The new file that has the name now, complete and not closed; null: there is none. The old file must not
  // be used any more.
  std::unique_ptr<env::File> copy;
  std::uint64_t bytes_of_copy = 0;
};

struct RepackOptions {
  bool sync = true;           // a new file is on the device before it takes the name
  bool is_continued = false;  // a later run adds records: chunks keep their shapes, so it can add in place
};

// Between two commits. `place`: the absolute path of the file. Throws Error(resource), and then the file is
// as it was. Takes the Hdf5Lock at times.
Repacked repack(AtomicFile& file, env::FileSystem& files, const std::string& place, RepackOptions options);

// Before a later job adds records to the file, between two commits: chunks that are encoded and not full
// become raw again, and their variables get new indices. So the records that come next change nothing that a
// reader of the file knows. Throws Error(resource), and then the file is as it was.
void open_last_chunks(AtomicFile& file);

// A line for the log: what was done. Empty if nothing was.
std::string in_words(const Repacked& repacked);

}  // namespace tailrace::output::netcdf
