// The configuration as plain values: what the user wrote, checked for form, with defaults filled in. Names
// are not yet resolved against what the model declared; plan.hpp does that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analytics/user/declaration.hpp"
#include "calendar/calendar.hpp"
#include "codecs/codec.hpp"
#include "config/location.hpp"
#include "config/sources.hpp"
#include "model/data_type.hpp"
#include "output/dataset.hpp"
#include "time/accumulator.hpp"
#include "time/period.hpp"
#include "transport/transport.hpp"

namespace tailrace::session {

enum class Mode { dedicated, attached, inline_, off };
enum class TransportChoice { automatic, shm, mpi };
enum class OnError { stop, skip, retry };

struct ServersOptions {
  Mode mode = Mode::dedicated;
  int count = 1;     // server ranks taken from the end of the communicator (dedicated)
  int per_node = 0;  // instead of count: the last ranks of each node
  int threads = 0;   // worker threads a server; 0: auto
  transport::BufferOptions buffer;
  TransportChoice transport = TransportChoice::automatic;
  std::size_t memory = std::size_t{1} << 30;  // bound on what a server holds that waits for assembly or disk
  double watchdog_seconds = 60.0;             // 0: off
  std::string report_directory = "tailrace_report";
  bool report = true;
  bool trace = false;  // write a trace for Perfetto into the report directory

  bool operator==(const ServersOptions&) const = default;
};

struct FieldGroup {  // an entry under `fields:`
  std::string name;
  time::Period every = time::Period::of_steps(1);
  config::Location every_location;  // line 0: not given, or it holds a `{name}` that is not filled in
  std::vector<std::pair<std::string, config::Location>> fields;  // with the namespace in front
  bool optional = false;     // fields that the model does not declare are left out, with what needs them
  bool also_at_end = false;  // what the model put last becomes a record at the end of the run
};

struct DiagnosticEntry {  // an entry under `diagnostics:`
  std::string name;
  config::Location location;
  std::string is;                // the expression
  config::Location is_location;  // of its first character
  std::string units, long_name, standard_name;
  bool optional = false;  // left out where a field it needs is absent
};

struct VariableEntry {  // an entry under `variables:`
  config::Location location;
  std::string config_path;           // how messages name it: output.a.nc.variables[0]
  std::string field, group;          // exactly one is given
  config::Location target_location;  // of the field's or group's name
  std::string name;                  // in the file; empty: the field's own without its namespace
  std::string suffix;                // put behind the name, or behind each name of the group
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  time::Period every = time::Period::of_steps(1);
  config::Location every_location;  // line 0: it holds a `{name}` that is not filled in
  bool whole_samples = false;       // windows end with a sample
  std::string axis;                 // the name of its time dimension; empty: chosen
  std::string split;                // a dimension: a variable for each number along it
  std::optional<model::DataType> type;
  std::optional<codecs::CodecOptions> codec;
  std::vector<std::int64_t> chunk;
  config::Location chunk_location;
  output::Attributes attributes;
};

enum class Access { automatic, maps, series };  // what chunks should favour
enum class TimeStamp { end, middle };           // where in its window a record's time lies

struct OptionTable {  // an entry under `option_tables:`
  std::string name;   // of the variable
  config::Location location;
  std::string config_path;
  std::string prefix;     // of the options it holds; they stand in it without
  std::string dimension;  // along which they lie
  bool optional = false;  // left out where the model gave none of them
};

struct FileEntry {  // an entry under `output:`
  config::Location location;
  std::string path;  // with {options} filled in
  std::string format = "netcdf";
  time::Period write_every = time::Period::of_steps(1);
  config::Location write_every_location;  // line 0: not given, or not filled in
  OnError on_error = OnError::stop;
  double retry_for_seconds = 60.0;
  codecs::CodecOptions codec;
  Access access = Access::automatic;
  TimeStamp time_stamp = TimeStamp::end;
  bool series = false;  // each write ends a file
  bool overwrite = true;
  bool sync = false;
  output::Attributes attributes;
  std::vector<OptionTable> option_tables;
  std::vector<VariableEntry> variables;
};

struct Configuration {
  ServersOptions servers;
  std::string calendar_name = "none";
  calendar::Date start;
  std::vector<FieldGroup> field_groups;
  std::vector<DiagnosticEntry> diagnostics;
  std::vector<analytics::user::Declaration> operators;
  std::map<std::string, std::vector<std::pair<std::string, config::Location>>> groups;
  std::vector<FileEntry> files;
  bool as_monc = false;               // `legacy: monc`
  std::string text;                   // as read, for the files' attribute
  std::vector<std::string> warnings;  // of the translation, a line each
  std::vector<std::string> open;      // names in braces that were not filled in (parsed without options)
};

// The files of a configuration, read by one rank and sent to all, so that all check the same words.
using config::SourceFile;
using config::Sources;

// Reads the file and what it includes. Throws Error(resource) / Error(configuration) (include cycle, missing
// file).
Sources read_sources(const std::string& path);
// Checks the whole and throws Error(configuration) with all mistakes, one a line, each with file:line:column.
// Options are what `{name}` stands for; without a value (nullptr) names in braces are left as they are, and
// what they belong to is not checked. Nothing under `servers` may hold one: the servers start before the
// model has said anything.
Configuration parse_configuration(const Sources& sources, const std::map<std::string, std::string>* options);

// Loads what `operators` names, as every rank does in `ready`; not those whose file still has an open name.
// Throws Error(configuration) with all that cannot be had.
void check_operators(const Configuration& configuration);

std::string reference_markdown();
std::string json_schema();

}  // namespace tailrace::session
