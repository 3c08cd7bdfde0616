// Reads the records of an input field from its files, in the order and the units of the model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/chunk_memory.hpp"
#include "input/matching.hpp"
#include "input/prepared.hpp"
#include "input/regridding/cells_of_ranks.hpp"
#include "input/regridding/weights_store.hpp"
#include "model/declarations.hpp"

namespace tailrace::input {

// The values of one record over the whole grid (with the file's levels if they are interpolated), in C order,
// of the type PreparedField::travels_as. With hybrid levels, as many levels of float64 follow.
struct RecordValues {
  std::vector<std::byte> bytes;
  std::int64_t missing = 0;
  // Taken from the files for it, for the report: of the chunks as they are stored, and of their index. Where
  // a source does not tell (Python, ADIOS2), of the chunks as they are unpacked.
  std::uint64_t bytes_read = 0;
};

// One entry of the section `input` with its files. One thread at a time. Calls block on the disk and on the
// reader's process.
class EntryReader {
 public:
  virtual ~EntryReader() = default;

  // Opens the headers of all files and describes the fields. Throws Error(configuration) for a request that
  // the files cannot fulfil, and Error(resource) for files that are not there or cannot be read; the messages
  // begin with the place in the configuration, and name the file and the variable. May be called again, when
  // further files have come.
  virtual std::vector<PreparedField> prepare() = 0;
  // Returns all fields of the entry with their timelines as they are now, if any of them may grow. For a
  // stream it waits for up to `seconds` for the next record, and once a record of a field was read, the ones
  // before it cannot be read any more. For a glob or a template it looks for further files. `may_grow` is
  // false once no record can follow. Throws as prepare(); the records that came before can still be read.
  // Returns nothing if there is nothing new, or nothing may come.
  virtual std::vector<PreparedField> grow(double /*seconds*/) { return {}; }
  // The record of that index in the timeline of `field`, an element of what prepare() returned. Throws
  // Error(resource) that names file, variable and record; what the reader's process reports is a ReaderError.
  virtual RecordValues read(const PreparedField& field, std::int64_t record) = 0;
  // From any thread, when nobody needs the entry any more: the call in progress and all later ones throw
  // soon.
  virtual void interrupt() {}
};

// The model, as a reader must know it. The declarations must live longer.
struct ReaderContext {
  const model::Declarations& declarations;  // with the values of the grids' coordinates
  calendar::Calendar calendar;
  std::string folder;     // with the program tailrace_read_netcdf
  std::string directory;  // in which relative names of files begin
  // Records that share chunks of a file are read at once, and wait here as they are in the file. If it cannot
  // hold them, chunks are read more than once. Null: the reader has one of its own.
  std::shared_ptr<ChunkMemory> chunks;
  // For fields that are regridded. Null, or one that makes none: they can be prepared, but not read.
  std::shared_ptr<WeightsStore> weights = {};
  // All cells of the grids to which fields are regridded, where only the ranks know them. Null: they are not
  // known here, and such fields can be prepared, but not read.
  std::shared_ptr<const CellsOfRanks> cells_of_ranks = {};
};

// `fields`: the indices in the declarations of the input fields that this entry provides.
std::unique_ptr<EntryReader> make_reader(const Entry& entry, const std::vector<int>& fields,
                                         const ReaderContext& context);

}  // namespace tailrace::input
