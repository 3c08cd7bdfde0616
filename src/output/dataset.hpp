// What a file is made of and how it grows: the contract between assembly and the formats (memory, null,
// netcdf, ...). A dataset has one owner, a server, and is used by one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/slab.hpp"
#include "codecs/codec.hpp"
#include "env/file_system.hpp"
#include "model/attributes.hpp"
#include "model/data_type.hpp"
#include "output/adios2/options.hpp"
#include "output/in_situ/action.hpp"

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
  std::optional<double> fill_value;  // what cells that nobody wrote hold; written as _FillValue
  Attributes attributes;
  bool is_field = false;  // or what was made of one; a library's own codecs leave coordinates as they are
};

// As codecs need to know the chunks of a variable.
inline codecs::ChunkDescription describe_chunk(const VariableSpec& variable) {
  return {variable.type, variable.chunk, variable.fill_value};
}

// Text that stands in the file from its beginning. `dims` are of fixed size, the last one is of characters;
// shorter texts are filled up with zeros.
struct TextSpec {
  std::string name;
  std::vector<int> dims;
  std::vector<std::string> values;  // C order, one for each cell of the dims before the last
  Attributes attributes;
};

enum class IfExists { replace, fail, append };  // what becomes of a file that has the name already

// A growing dim with its coordinate, in a file of an earlier run.
struct ExistingAxis {
  std::vector<double> times;
  std::vector<double> bounds;  // two for each time; none of instants
  std::string units, calendar;
};

struct DatasetSpec {
  std::string path;  // as the user wrote it, relative to the working directory
  Attributes attributes;
  std::vector<DimensionSpec> dims;
  std::vector<VariableSpec> variables;
  std::vector<TextSpec> texts;
  IfExists if_exists = IfExists::replace;
  // Of `append`: how many records of the file stay, by growing dim (index into `dims`). What is behind them
  // goes; variables that do not grow stay as they are, whatever a commit brings for them.
  std::map<int, std::int64_t> kept;
  bool sync = false;                              // fsync at each commit
  std::shared_ptr<const in_situ::Action> action;  // whom the records go to, instead of a file; or null
  adios2::Options adios2;
};

// A chunk ready for the disk. `offset` is its corner in the variable's index space (record dimension
// included). It may hold records past the commit's lengths: a later commit brings them to light without
// sending the chunk again.
struct EncodedChunk {
  int variable = 0;  // index into DatasetSpec::variables
  std::vector<std::int64_t> offset;
  base::SharedBytes bytes;
  bool filtered = true;  // false: stored raw (every filter skipped); may be replaced by a later commit
  // Of the records that it has room for: how many an earlier commit brought, and how many are in it (0: all).
  // Only those between need be written where the chunk stays where it is; behind them it holds nothing.
  std::int64_t committed_records = 0;
  std::int64_t valid_records = 0;
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
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  // After it returns, the commit survives kill -9 and any stock reader sees it. Throws Error(resource), and
  // then what was committed before is still whole, and the same commit may be tried again (on_error: retry).
  virtual void commit(const Commit& commit) = 0;
  virtual void close() = 0;  // no commit after it
  virtual std::uint64_t bytes_on_disk() const = 0;
};

class Format {
 public:
  virtual ~Format() = default;
  virtual std::string name() const = 0;
  // Creates the dataset, complete with all dims, variables and attributes and no record yet. Throws
  // Error(resource) that names the path and what the system said, Error(configuration) for what the format
  // cannot express.
  // The dataset's files are `files`', which must live longer: the system's, unless a test wants others.
  virtual std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const = 0;
  std::unique_ptr<Dataset> create(const DatasetSpec& spec) const { return create(spec, env::system_files()); }
  // Whether chunks that were stored raw may be replaced by a later commit (partly filled record chunks).
  virtual bool can_replace_chunks() const = 0;
  virtual bool makes_files() const = 0;
  virtual bool is_for_files() const { return true; }  // whether a file's `format` may name it
  // Whether several servers may each have a dataset of the same spec open and commit chunks of their own to
  // it. Each commit then has the lengths on every server; times and coordinates come from one of them.
  virtual bool can_be_written_by_many() const { return false; }
  // What it needs that is not there, for the user; empty where nothing is missing.
  virtual std::string missing() const { return ""; }
  // What its library may hold for itself while a commit is written: one at a time on a server.
  virtual std::size_t cache_bytes() const { return 0; }
  // Whether it can go on with a file of an earlier run (IfExists::append).
  virtual bool can_append() const { return false; }
  // By the name of the dim, of a file that is there, after whatever repair it needs. Throws Error(resource)
  // that names the path: for a file that another session writes, or that this format did not write.
  virtual std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const;
  // Whether each chunk is a file of its own, of which a file system takes only so many.
  virtual bool has_file_per_chunk() const { return false; }
  // Why a thread of Tailrace must not write it while the model's threads use the same library; empty where it
  // may.
  virtual std::string danger_beside_model() const { return ""; }
};

// Formats register themselves at the place of their definition:
//   const FormatRegistration registration{std::make_unique<NetcdfFormat>()};
class FormatRegistration {
 public:
  explicit FormatRegistration(std::unique_ptr<Format> format);
};
const Format* find_format(const std::string& name);
std::vector<std::string> format_names();

}  // namespace tailrace::output
