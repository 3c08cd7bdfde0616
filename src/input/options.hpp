// The requests of a user under `input`: the variables and files that give the model its fields, and how.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/location.hpp"
#include "input/matching.hpp"
#include "input/time_rule.hpp"
#include "input/vertical.hpp"
#include "regrid/apply.hpp"

namespace tailrace::input {

// Stands before the name of an input where the values that the model gets are used as a field.
inline constexpr std::string_view name_space = "input.";

struct VerticalRequest {
  std::string to;  // a coordinate of the model's grid, or a field that the model puts at each step
  VerticalOptions options;
};

// The value that the model gets where the files have none. It replaces what is missing after all
// interpolation; `nearest` fills each record from the nearest cell of the same level before any.
struct MissingRequest {
  enum class Kind : std::uint8_t { refuse, value, nearest, keep } kind = Kind::refuse;
  double value = 0.0;  // of `value`
};

// Records are brought from the horizontal cells of the files to those of the model.
struct RegridRequest {
  regrid::Rule rule;    // method, coverage, normalisation
  std::string weights;  // the path of regrid::Method::file
};

struct FieldRequest {
  std::string name;            // as the model asks for it
  config::Location location;   // of its entry in the configuration
  std::string variable;        // in the files, with the path of its groups; by default the name
  TimeSelector::Options time;  // rule, cycle, before, after
  double time_offset = 0.0;    // seconds that are added to the times of the files
  std::optional<VerticalRequest> vertical;
  std::optional<RegridRequest> regrid;
  std::string units;  // of the files' values, in place of their attribute; empty: as the attribute says
  double scale = 1.0, offset = 0.0;  // value * scale + offset, in the files' units
  MissingRequest missing;
  Selected select;             // indices of dims that the grid lacks
  bool may_lose_bits = false;  // `narrow: true`: float64 to float32, or real to integer numbers
  std::string grid;            // for fields that only expressions use: a grid of the model; otherwise empty
};

// Files that the servers read with their own programs, by xarray in Python, or from ADIOS2.
struct NetcdfSource {};
struct PythonSource {
  std::string function;     // "module:function", "file.py:function"; empty: xarray opens the files
  std::string interpreter;  // a path, or a name on the PATH
};
struct Adios2Source {
  bool is_stream = false;  // SST: the output of a job that runs beside
};
using Source = std::variant<NetcdfSource, PythonSource, Adios2Source>;

// The action for a file that is late, damaged, changed, or ends too early.
// The values are part of messages.
enum class OnTrouble : std::uint8_t {
  stop,  // `get` of its fields fails, with file, variable and record
  hold,  // `get` gives the last record that was read, and warns once
};

struct Entry {
  std::string name;
  config::Location location;
  // Names, globs, templates of dates such as "era5_{time:%Y%m}.nc", and URLs (file_names.hpp finds the
  // files). Relative ones begin in the working directory: the folder of the configuration's file is in front.
  // Empty: only with a Python function, which then gets an empty name.
  std::vector<std::string> files;
  std::string files_location_text;  // file:line:column, for messages
  Source source;
  std::optional<double> lead_seconds;  // how far ahead of the model; none of both: `lead_records` 2
  std::optional<std::int64_t> lead_records;
  double wait_for = 0.0;  // seconds for which a file or record that is late is awaited
  OnTrouble on_trouble = OnTrouble::stop;
  std::vector<FieldRequest> fields;
};

// The section `input`, as a part of settings::Configuration::sections.
struct Options {
  std::vector<Entry> entries;
  bool empty() const { return entries.empty(); }
  // The field of that name; null: none. Names are unique over all entries.
  const FieldRequest* find(const std::string& field) const;
};

}  // namespace tailrace::input
