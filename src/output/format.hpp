// A format: makes datasets, states what it can do, and owns its options in the configuration. Everything that
// differs between formats is asked of them here, so that no other code compares their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "config/schema.hpp"
#include "config/value.hpp"
#include "env/file_system.hpp"
#include "output/dataset.hpp"

namespace tailrace::output {

// The format of a file that names none.
inline constexpr const char* default_format = "netcdf";

// A format's part of the configuration. For a format of files it is an option of each file, with the name of
// the format; for any other format it describes an entry of the section with that name.
struct FormatSection {
  config::Option option;
  // Takes what is there (after mistakes of form the value has holes) and adds the mistakes that show between
  // its own options. `entry`: the path of the file, or the name of the entry.
  std::function<std::shared_ptr<const FormatOptions>(const std::string& entry, const config::Value& value,
                                                     config::Problems& problems)>
      read;
};

// The requests of an entry of the configuration to its format, besides the format's own options.
struct DatasetRequest {
  std::string path;
  std::string config_path;  // `output.out.nc`, for problems
  config::Location location;
  config::Location format_location, section_location, if_exists_location;  // line 0: not given
  bool appends = false;
  bool compresses = false;  // the file or one of its variables has a `compression`
  bool rounds = false;      // ... with a `keep`
  bool is_series = false;   // of many files
};

// A usual ending of a format's names, and what it promises to readers.
struct Suffix {
  std::string text;  // ".zarr"; empty: none
  std::string noun;  // "a Zarr store"
};

// The state of a dataset after its run has ended, in whatever way.
struct Inspection {
  bool readable = false;  // now, by any stock reader
  bool repaired = false;  // this call changed it
  std::string report;     // one line that begins with the path; for people
};

class Format {
 public:
  virtual ~Format() = default;
  virtual std::string name() const = 0;

  // Creates the dataset, complete with all dims, variables and attributes and no record yet. Throws
  // Error(resource) that names the path and what the system said, Error(configuration) for what the format
  // cannot express. The dataset's files are those of `files`, which must live longer: the system's, unless a
  // test wants others.
  virtual std::unique_ptr<Dataset> create(const DatasetSpec& spec, env::FileSystem& files) const = 0;
  std::unique_ptr<Dataset> create(const DatasetSpec& spec) const { return create(spec, env::system_files()); }

  // Nothing: the format has no options.
  virtual std::optional<FormatSection> section() const { return std::nullopt; }
  // Adds what the options, or the format as such, rule out for this entry. `options`: null where none are
  // given.
  virtual void check(const FormatOptions* options, const DatasetRequest& request,
                     config::Problems& problems) const;
  // The format that writes a dataset with these options, where some of them choose another one.
  virtual const Format& chosen_by(const FormatOptions* options) const;
  // How `tailrace check` describes a dataset that is no file; empty: it is described as a file.
  virtual std::string describe(const FormatOptions* options) const;

  // Whether chunks that were stored raw may be replaced by a later commit (partly filled record chunks).
  virtual bool can_replace_chunks() const = 0;
  virtual bool makes_files() const = 0;
  // Whether it also writes datasets whose names begin with `s3://` to object stores. It checks these names.
  virtual bool writes_objects() const { return false; }
  // Whether the dataset is in the file system, with folders and links.
  bool makes_file(const std::string& path) const;
  // Whether anything has the name of the dataset. Throws Error(resource) if an object store gives no answer.
  virtual bool exists(const std::string& path) const;
  virtual bool is_for_files() const { return true; }  // whether `format` of a file may name it
  // Whether several servers may write the chunks of a dataset with this path, these options and these codecs
  // of variables at a time, each as one of its writers. Each commit then has the lengths on every server.
  // create() makes the dataset on one of them, its home, which commits times, coordinates and attributes; it
  // commits no chunks, and never lengths whose chunks a writer lacks.
  virtual bool can_be_written_by_many(const DatasetSpec&) const { return false; }
  // Opens such a dataset as writer number `writer`, of spec.writers->count. The first commit may come once
  // create() has returned on the home. Two writers must not commit chunks of the same file (cells_of_file).
  virtual std::unique_ptr<Dataset> open_writer(const DatasetSpec& spec, int writer,
                                               env::FileSystem& files) const;
  std::unique_ptr<Dataset> open_writer(const DatasetSpec& spec, int writer) const {
    return open_writer(spec, writer, env::system_files());
  }
  // Tells the user what the format needs and does not find; empty if nothing is missing.
  virtual std::string missing() const { return ""; }
  // Whether variables of characters (VariableSpec::is_text) may grow.
  virtual bool has_growing_text() const { return false; }
  // Bytes that its library may hold during a commit, or, on an object store, objects that wait to be sent.
  virtual std::size_t cache_bytes(const std::string& /*path*/) const { return 0; }
  // About how many bytes a commit writes besides values.
  virtual double commit_overhead(std::size_t variables) const {
    return 8192.0 + 600.0 * static_cast<double>(variables);
  }
  // How many records each chunk of a growing variable holds; nothing where any number will do.
  virtual std::optional<std::int64_t> records_per_chunk() const { return std::nullopt; }
  // The part of a variable that is a file of its own, in cells along each of its dims, of which a file system
  // takes only so many; empty: the dataset is one file, or none.
  virtual std::vector<std::int64_t> cells_of_file(const DatasetSpec&, const VariableSpec&) const {
    return {};
  }
  // The options with which a dataset goes on (DatasetSpec::kept), for cells_of_file(): a property of the
  // existing one may count. Throws Error(resource) if it cannot be read.
  virtual std::shared_ptr<const FormatOptions> options_to_continue(const DatasetSpec& spec) const {
    return spec.options;
  }
  // Names what the user may change where these are too many, to follow "expected".
  virtual std::string how_to_make_fewer_files() const { return ""; }
  // Whether a dataset of a restarted run still has the variables that do not grow; otherwise they are sent
  // again.
  virtual bool keeps_constants() const { return true; }
  virtual Suffix usual_suffix() const { return {}; }
  // Why a thread of Tailrace must not write it while the model's threads use the same library; empty where it
  // may.
  virtual std::string danger_beside_model() const { return ""; }

  // Whether it can append to a file of an earlier run (IfExists::append).
  virtual bool can_append() const { return false; }
  // By the name of the dim, of an existing file, after whatever repair it needs. Throws Error(resource) that
  // names the path: for a file that another session writes, or that this format did not write.
  virtual std::map<std::string, ExistingAxis> existing_axes(const std::string& path) const;
  // Whether the path has a dataset of this format, which inspect() then takes.
  virtual bool recognises(const std::string&) const { return false; }
  // Never throws for a fault of the dataset. `repair`: finishes a commit that was cut off, and removes what
  // an unfinished one left behind. A dataset that a running session still writes is left alone.
  virtual Inspection inspect(const std::string& path, bool repair) const;
  // The `_FillValue` of each variable that has one, of a dataset that existing_axes() accepts.
  virtual std::map<std::string, model::FillValue> existing_fills(const std::string&) const { return {}; }
  // For each variable whose values were rounded: the bound and the errors in its attributes.
  virtual std::map<std::string, codecs::lossy::ExistingBound> existing_bounds(const std::string&) const {
    return {};
  }
  // The most bytes of the name of a variable: netCDF's, for other programs read it through netCDF.
  virtual std::size_t longest_name() const { return 256; }
};

// Formats register themselves at the place of their definition:
//   const FormatRegistration registration{std::make_unique<NetcdfFormat>()};
class FormatRegistration {
 public:
  explicit FormatRegistration(std::unique_ptr<Format> format);
};
const Format* find_format(const std::string& name);  // null where there is none
// The format that writes a dataset whose configuration has this `format` and these options; null where there
// is none.
const Format* find_format(const std::string& name, const FormatOptions* options);
std::vector<const Format*> formats();  // by name
std::vector<std::string> format_names();

// By the format that recognises the dataset, or else by the default one.
Inspection inspect(const std::string& path, bool repair);

}  // namespace tailrace::output
