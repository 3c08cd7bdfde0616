// `output:`, the files to write.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "config/section.hpp"
#include "output/format.hpp"
#include "points/stations.hpp"
#include "points/trajectories.hpp"
#include "settings/option_table.hpp"
#include "settings/pyramid.hpp"
#include "settings/variable.hpp"
#include "time/period.hpp"
#include "time/span.hpp"

namespace tailrace::settings {

enum class OnError { stop, skip, retry };
enum class Access { automatic, maps, series };  // what chunks should favour
enum class TimeStamp { end, middle };           // where in its window a record's time lies
// The conventions of a file: those of CF, or what readers of WRF's files expect (cf/conventions.hpp).
enum class Layout { cf, wrf };

// The names of attributes of a file that its last write sets; empty: none.
struct WriteAttributes {
  std::string time, step;     // of the model at that write
  std::string previous_time;  // at the write that ended the previous file of the series; 0 in the first
};

struct OutputEntry {  // an entry under `output:`
  config::Location location;
  std::string path;                             // with {options} filled in
  std::string format = output::default_format;  // as the configuration names it
  time::Period write_every = time::Period::of_steps(1);
  config::Location write_every_location;  // line 0: not given, or not filled in
  bool gathers = false;                   // small commits wait for each other: no period is given
  OnError on_error = OnError::stop;
  double retry_for_seconds = 60.0;
  codecs::CodecOptions codec;
  Access access = Access::automatic;
  std::optional<TimeStamp> time_stamp;  // not given: by the convention of time
  Layout layout = Layout::cf;
  config::Location layout_location;  // line 0: not given
  time::WrittenSpan span;
  bool series = false;                         // each write ends a file
  std::optional<time::Period> new_file_every;  // not given: one file, unless it is a series
  config::Location new_file_every_location;    // line 0: not given, or not filled in
  std::optional<output::IfExists> if_exists;   // not given: see if_exists()
  config::Location if_exists_location;         // line 0: not given
  bool is_opened_by_model = false;             // the model gives the name of each file, and ends it
  bool sync = false;
  config::Location format_location;                             // line 0: not given
  std::shared_ptr<const output::FormatOptions> format_options;  // null: none are given
  std::map<std::string, config::Location> format_sections;      // the sections given, by format
  output::Attributes attributes;
  std::string date_attribute;  // the attribute with the date of the run; empty: none
  WriteAttributes write_attributes;
  std::vector<std::string> also_coordinates;
  config::Location also_coordinates_location;  // line 0: not given
  output::Attributes time_attributes;          // of its time coordinates
  std::vector<OptionTable> option_tables;
  std::optional<points::Stations> stations;
  std::optional<points::Trajectories> trajectories;  // not both
  std::shared_ptr<regrid::Options> regrid;           // of the variables that say nothing else; null: none
  std::optional<Pyramid> pyramid;
  std::optional<PyramidCopy> copy;  // a pyramid has added this entry
  std::vector<VariableEntry> variables;

  // The format that writes it; null where the configuration names none that exists.
  const output::Format* writer() const { return output::find_format(format, format_options.get()); }
  const points::PointSet* points() const {  // null: the file holds whole fields
    return stations       ? static_cast<const tailrace::points::PointSet*>(&*stations)
           : trajectories ? &*trajectories
                          : nullptr;
  }
  bool has_many_files() const { return series || new_file_every.has_value() || is_opened_by_model; }
  const time::Period& file_period() const { return new_file_every ? *new_file_every : write_every; }
};

// The treatment of a file that exists when a run begins at that model time. A run that continues another one
// replaces nothing unless the option asks for it.
output::IfExists if_exists(const OutputEntry& file, double begin);

// Checks that the files differ, and that the names of fields and groups lead somewhere.
config::Section<std::vector<OutputEntry>> files_section();

}  // namespace tailrace::settings
