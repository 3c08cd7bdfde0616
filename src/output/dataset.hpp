// The description of a dataset and the commits by which it grows: the contract between assembly and the
// formats. A dataset is owned by one server and used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/slab.hpp"
#include "codecs/codec.hpp"
#include "model/attributes.hpp"
#include "model/data_type.hpp"
#include "output/format_options.hpp"

namespace tailrace::output {

using model::AttributeValue;
using Attributes = std::vector<std::pair<std::string, AttributeValue>>;  // in the order they are written

struct DimensionSpec {
  std::string name;
  std::int64_t size = 0;
  bool unlimited = false;
};

// Variables, coordinates and auxiliary variables alike. `dims` are indices into DatasetSpec::dims, slowest
// first. A variable whose first dim is unlimited grows by records; any other is written once.
struct VariableSpec {
  std::string name;
  model::DataType type = model::DataType::float64;
  std::vector<int> dims;
  std::vector<std::int64_t> chunk;  // as many as dims; empty: contiguous (fixed size, small)
  codecs::CodecOptions codec;
  std::optional<model::FillValue> fill_value;  // of cells that nobody wrote; written as _FillValue
  Attributes attributes;
  bool is_field = false;  // or made from one; a library's own codecs leave coordinates as they are
  // The values are characters (netCDF's NC_CHAR), one byte each: `type` is uint8, without codec and fill
  // value. For formats with Format::has_growing_text().
  bool is_text = false;
  // How many records each commit brings, where all bring as many and the configuration tells it.
  std::optional<std::int64_t> records_of_commit = std::nullopt;
};

// The properties of a variable's chunks that codecs need.
inline codecs::ChunkDescription describe_chunk(const VariableSpec& variable) {
  codecs::ChunkDescription chunk{variable.type, variable.chunk};
  if (variable.fill_value) chunk.fill_value = variable.fill_value->number;
  return chunk;
}

// Text that the file has from its beginning. `dims` are of fixed size, and the last one counts characters;
// shorter texts are filled up with zeros.
struct TextSpec {
  std::string name;
  std::vector<int> dims;
  std::vector<std::string> values;  // C order, one for each cell of the dims before the last
  Attributes attributes;
};

// The writers of a dataset whose chunks several servers write (Format::can_be_written_by_many).
struct ManyWriters {
  int count = 0;
  std::string token;  // by which a writer knows the dataset that the home has made, whatever has its name
};

enum class IfExists { replace, fail, append };  // what happens to a file that has the name already

// A growing dim with its coordinate, in a file of an earlier run.
struct ExistingAxis {
  std::vector<double> times;
  std::vector<double> bounds;  // two for each time; none of instants
  std::string units, calendar;
  std::vector<std::string> dates = {};  // in place of all these, where the times are texts

  std::size_t records() const { return dates.empty() ? times.size() : dates.size(); }
};

struct DatasetSpec {
  std::string path;  // as the user wrote it, relative to the working directory
  Attributes attributes;
  std::vector<DimensionSpec> dims;
  std::vector<VariableSpec> variables;
  std::vector<TextSpec> texts;
  IfExists if_exists = IfExists::replace;
  // With `append`: how many records of the file stay, by growing dim (index into `dims`). Later ones are
  // removed; variables that do not grow stay as they are, whatever a commit brings for them.
  std::map<int, std::int64_t> kept;
  bool sync = false;                             // fsync at each commit
  std::optional<ManyWriters> writers;            // nothing: who creates the dataset writes all of it
  std::string report_directory;                  // of the run; empty: there is no report
  std::shared_ptr<const FormatOptions> options;  // the format's own; null: none are given
};

// A chunk ready for the disk. `offset` is its corner in the variable's index space (record dimension
// included). It may hold records past the commit's lengths: a later commit makes them visible without sending
// the chunk again.
struct EncodedChunk {
  int variable = 0;  // index into DatasetSpec::variables
  std::vector<std::int64_t> offset;
  base::SharedBytes bytes;
  bool filtered = true;  // false: stored raw (every filter skipped); may be replaced by a later commit
  // How many of its records an earlier commit wrote, and how many it holds (0: all). Where the chunk keeps
  // its place, only the records between these need to be written.
  std::int64_t committed_records = 0;
  std::int64_t valid_records = 0;
  // The errors of values that were rounded, of all its records, also of those past the commit's lengths;
  // the others as in FinishedChunk.
  codecs::lossy::Reached reached = {};
  bool is_exact = false;
  int level = 0;
};

// Whole values of small variables without chunk owner: time, bounds, 1-D coordinates. Appended along the
// first dim from `first` on when the variable grows; otherwise the whole array.
struct PlainValues {
  int variable = 0;
  std::int64_t first = 0;
  std::vector<std::byte> bytes;  // C order, in the variable's type
};

// An attribute whose value nobody knew when the dataset was created. It replaces one of the same name.
struct LateAttribute {
  int variable = -1;  // index into DatasetSpec::variables; -1: of the dataset
  std::string name;
  AttributeValue value;
};

// One step of growth, all or nothing for a reader: afterwards every unlimited dim has the length given here.
struct Commit {
  std::map<int, std::int64_t> lengths;  // by index into DatasetSpec::dims
  std::vector<EncodedChunk> chunks;
  std::vector<PlainValues> values;
  std::vector<LateAttribute> attributes = {};  // few: usually in the last commit. Streams of ADIOS2 omit them
  bool last = false;  // no commit to the dataset comes after it, so its unencoded chunks stay as they are
};

// The fate of the steps of a dataset that hands them to readers instead of writing them to a disk.
struct StreamCounts {
  std::uint64_t handed_over = 0;  // while a reader was connected
  std::uint64_t unread = 0;       // while none was
  std::uint64_t discarded = 0;    // because readers took them too slowly
  std::uint64_t lost = 0;         // because the process that hands them to readers had ended
  std::uint64_t restarts = 0;     // of that process

  bool operator==(const StreamCounts&) const = default;
  StreamCounts& operator+=(const StreamCounts& more) {
    handed_over += more.handed_over;
    unread += more.unread;
    discarded += more.discarded;
    lost += more.lost;
    restarts += more.restarts;
    return *this;
  }
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  // After it returns, the commit survives kill -9 and any stock reader sees it. Throws Error(resource), and
  // then what was committed before is still whole, and the same commit may be tried again (on_error: retry).
  virtual void commit(const Commit& commit) = 0;
  virtual void close() = 0;  // no commit after it
  virtual std::uint64_t bytes_on_disk() const = 0;
  virtual std::optional<StreamCounts> stream_counts() const {
    return std::nullopt;
  }  // nothing: it has no readers
};

}  // namespace tailrace::output
