// The description of an input field, known to every rank once the servers have read the headers of its files.
// It comes to the clients with the reply that ends `ready`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "input/options.hpp"
#include "input/timeline.hpp"
#include "model/data_type.hpp"

namespace tailrace::input {

// The levels at which the records of a field lie, if they are interpolated to the model's.
struct FileLevels {
  std::vector<double> levels;  // in the units of the target; empty: hybrid levels
  // Hybrid levels: a record then holds, behind the values, the levels of its columns, in the same order.
  bool come_with_records = false;
  std::int64_t count = 0;  // of levels in a record
};

struct PreparedField {
  int field = -1;     // index in the declarations of the component
  std::string entry;  // of the section `input`
  FieldRequest request;
  OnTrouble on_trouble = OnTrouble::stop;
  Timeline timeline;               // finished
  std::vector<std::string> files;  // by number of the file in the timeline, for messages
  // The type of the values that travel: the model's if nothing about them needs more, otherwise float64.
  // Copies that float32 holds travel so to a model's float64.
  // Missing values are NaN; integers travel in their own type only if none can be missing.
  model::DataType travels_as = model::DataType::float64;
  std::optional<FileLevels> vertical;
  std::string regridded = {};  // from which cells, and how, in words; empty: not asked for
  // A client keeps each record that it has got for the rest of the run: those of `time: none`, and of cycles
  // that are short enough. Such a record is sent once; its place is its index in the timeline, also for a
  // cycle.
  bool stays = false;
  // It is of a stream, or further files may come: records may come behind the last one, with packets
  // `input_timeline`. A client waits for them until a packet `input_fault` has the place behind the last
  // record.
  bool may_grow = false;
};

// Position in `bytes`: calls may follow each other. Not for files: the form may change with any version.
void put_prepared(base::ByteWriter& writer, std::span<const PreparedField> fields);
// `calendar`: the model's. Throws Error(internal) for bytes that are none.
std::vector<PreparedField> get_prepared(base::ByteReader& reader, const calendar::Calendar& calendar);

// The payload of a packet `input_timeline`.
struct FurtherRecords {
  std::vector<std::string> files;  // behind those that were known
  std::vector<Record> records;     // behind those of the timeline
};
// The records of `now`, from a later EntryReader::grow, behind those of `before`. Records that are not later
// than the last one are left out. Throws Error(resource) if records of `now` do not fit the buffers for
// `before`.
FurtherRecords further_in(const PreparedField& before, const PreparedField& now);
void lengthen(PreparedField& field, const FurtherRecords& further);
void put_further(base::ByteWriter& writer, const FurtherRecords& further);
FurtherRecords get_further(base::ByteReader& reader);  // throws Error(internal) for bytes that are none

// The first bytes of the payload of a packet `input_record`. The values follow: those of the client's blocks
// one after the other, each in C order over the dims of the grid, with the file's levels in place of the
// grid's if they are interpolated.
struct alignas(64) RecordHead {
  std::int64_t missing = 0;  // how many of the values are missing
};

}  // namespace tailrace::input
