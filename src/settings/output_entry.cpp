#include "settings/output_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include "base/nearest_name.hpp"
#include "codecs/options.hpp"
#include "config/check.hpp"
#include "config/node.hpp"
#include "config/read.hpp"
#include "model/name.hpp"
#include "output/object_store/location.hpp"
#include "output/options.hpp"
#include "regrid/section.hpp"
#include "settings/formats/format_checks.hpp"
#include "settings/groups.hpp"
#include "settings/layout_checks.hpp"
#include "settings/name_checks.hpp"
#include "time/model_time.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;
using Files = std::vector<OutputEntry>;

config::Section<codecs::CodecOptions> compression() {
  return codecs::compression_section("The compression of the file's variables; by default none.");
}

config::Section<std::optional<regrid::Options>> regridding() {
  return regrid::regrid_section(
      "The grid to which the file's variables are regridded by the servers. Fields without cells on the "
      "Earth, such as profiles and sums, stay as they are.");
}

std::vector<Option> when_it_is_written() {
  return {
      output::format_option(),
      {.name = "write_every",
       .type = time::period_or_never_type(),
       .description =
           "How often complete records are committed to the file; the remaining ones are written at the "
           "end of the run. Where it is not given, a record is committed when it is complete, and small "
           "ones together once a minute of wall clock (a stream over SST gets each at once).",
       .example = "100 s",
       .default_value = "1 step"},
      {.name = "file_per_write",
       .type = flag(),
       .description =
           "Whether each write ends a file, with the first sample at or after each multiple of "
           "`write_every`. The next records go into a new file. The name of a file contains the multiple "
           "at which it ends: `a_100.0.nc`, `a_200.0.nc`. The records left at the end of the run make "
           "the last one.",
       .example = "true",
       .default_value = "false",
       .deprecated_names = {"series"}},
      {.name = "new_file_every",
       .type = time::period_type(),
       .description =
           "How often a new file begins, whatever `write_every` is: a file ends with the first sample at "
           "or after "
           "each multiple of this period. The limits of a file are part of its name, where `{start}` and "
           "`{end}` stand, or before its ending: `a_20260101-20260131.nc`.",
       .example = "1 month"},
      {.name = "on_error",
       .type = choice({"stop", "skip", "retry"}),
       .description =
           "The action when the file cannot be written: the run stops, continues without the file, or tries "
           "again for `retry_for` and then stops.",
       .example = "skip",
       .default_value = "stop"},
      {.name = "retry_for",
       .type = time::duration_type(),
       .description = "How long `on_error: retry` keeps trying.",
       .example = "5 min",
       .default_value = "60 s"},
  };
}

Type if_exists_type() {
  Type type = choice({"append", "fail", "replace"});
  type.former = {{"true", "replace"}, {"false", "fail"}};  // of `overwrite`
  return type;
}

std::vector<Option> how_it_is_written() {
  return {
      compression().option,
      regridding().option,
      {.name = "access",
       .type = choice({"auto", "maps", "series"}),
       .description =
           "The access pattern that chunks favour: reading whole fields at one time (`maps`), or one "
           "place over time (`series`).",
       .example = "series",
       .default_value = "auto"},
      {.name = "layout",
       .type = choice({"cf", "wrf"}),
       .description =
           "The conventions of the file: those of CF, or those of WRF's own files. With `wrf` the time "
           "dimension is `Time`, without a coordinate; `Times` has the dates as texts, so "
           "`model_time.start` is needed; attributes are exactly those that the model and this configuration "
           "give; and nothing is added, neither coordinates of grids nor `_FillValue` where the model has "
           "none.",
       .example = "wrf",
       .default_value = "cf"},
      {.name = "time_stamp",
       .type = choice({"end", "middle"}),
       .description =
           "The position of a record's time within its window: by default the middle, or as in the program "
           "that `legacy` names.",
       .example = "end"},
      {.name = "if_exists",
       .type = if_exists_type(),
       .description =
           "The treatment of an existing file: it is replaced, it is continued behind its last complete "
           "record that ends when this run begins or before (`append`), or it is an error of `ready`, before "
           "any file is written. By default a run that begins at model time 0 (or before it) replaces the "
           "file, and for a run that begins later, with an `initial_time`, it is an error. On an object "
           "store it is an error by default.",
       .example = "fail",
       .deprecated_names = {"overwrite"}},
      {.name = "sync",
       .type = flag(),
       .description =
           "Whether each commit waits until the data is on the device, so that it survives a loss of power.",
       .example = "true",
       .default_value = "false"},
  };
}

// In the order of the formats' names.
std::vector<Option> options_of_formats() {
  std::vector<Option> options;
  for (const output::Format* format : output::formats())
    if (auto section = format->section(); section && format->is_for_files())
      options.push_back(std::move(section->option));
  return options;
}

Option write_attributes_option() {
  const auto name = [](const char* option, const char* says, const char* example) {
    Type attribute = checked("the name of an attribute", &model::attribute_name_complaint);
    return Option{.name = option, .type = std::move(attribute), .description = says, .example = example};
  };
  return {
      .name = "write_attributes",
      .type = section({
          name("time", "The attribute with the model's time at the write, in seconds.", "MONC time"),
          name("step", "The attribute with the model's step at the write.", "MONC timestep"),
          name("previous_time",
               "The attribute with the time, in seconds, of the write that ended the previous file of a "
               "series; 0.0 in its first file.",
               "Previous diagnostic write at"),
      }),
      .description =
          "Attributes of the file, as texts, that tell where the model was when the file was written. Each "
          "write to the file sets them again.",
      .example = "{time: time_of_write}"};
}

std::vector<Option> what_it_holds() {
  return {
      defaults_option("The options that the variables of this file share.", variable_defaults()),
      output::attributes_option("Attributes of the file, such as title and institution."),
      {.name = "date_attribute",
       .type = text(),
       .description =
           "The name of an attribute of the file that tells when the run began; `history` does so anyway.",
       .example = "created"},
      write_attributes_option(),
      {.name = "also_coordinates",
       .type = list(text(), 1),
       .description =
           "Dimensions of the model's grids that the file has with their coordinates, even where no "
           "variable lies along them.",
       .example = "[z, zn]"},
      output::time_attributes_option(
          "Attributes of the time coordinates of the file, in place of their own or "
          "besides these. `bounds` is the name of a variable with two numbers for each snapshot, the bounds "
          "of its time; where the file has no such variable it is left out."),
      option_tables_section().option,
      points::stations_section().option,
      points::trajectories_section().option,
      pyramid_section().option,
      {.name = "state",
       .type = choice({"io"}),
       .description = "Whether the servers' own state is written into the file.",
       .example = "io",
       .available = false},
      variables_section().option,
  };
}

std::vector<Option> file_defaults() {
  return joined_section(
             {when_it_is_written(), time::span_options(), how_it_is_written(), options_of_formats()})
      .options;
}

void set_writing(const Value& value, OutputEntry& file) {
  const time::WrittenPeriod write_every = time::period_of(value, "write_every");
  file.format = text_of(value, "format", file.format);
  file.write_every = write_every.period;
  file.write_every_location = write_every.location;
  if (value.find("new_file_every") != nullptr) {
    const time::WrittenPeriod new_file_every = time::period_of(value, "new_file_every");
    if (new_file_every.location.line > 0) file.new_file_every = new_file_every.period;
    file.new_file_every_location = new_file_every.location;
  }
  file.on_error = choice_of<OnError>(
      value, "on_error", {{"stop", OnError::stop}, {"skip", OnError::skip}, {"retry", OnError::retry}});
  file.retry_for_seconds = time::seconds_of(value, "retry_for", file.retry_for_seconds);
  file.access = choice_of<Access>(
      value, "access", {{"auto", Access::automatic}, {"maps", Access::maps}, {"series", Access::series}});
  if (value.find("time_stamp") != nullptr)
    file.time_stamp =
        choice_of<TimeStamp>(value, "time_stamp", {{"end", TimeStamp::end}, {"middle", TimeStamp::middle}});
  file.layout = choice_of<Layout>(value, "layout", {{"cf", Layout::cf}, {"wrf", Layout::wrf}});
  if (const Value* layout = value.find("layout")) file.layout_location = layout->location();
  file.span = time::span_of(value);
  file.series = flag_of(value, "file_per_write", file.series);
  if (const Value* if_exists = value.find("if_exists")) {
    file.if_exists = choice_of<output::IfExists>(value, "if_exists",
                                                 {{"append", output::IfExists::append},
                                                  {"fail", output::IfExists::fail},
                                                  {"replace", output::IfExists::replace}});
    file.if_exists_location = if_exists->location();
  }
  file.gathers = file.write_every_location.line == 0 && !file.series;
  file.sync = flag_of(value, "sync", file.sync);
  if (const Value* format = value.find("format")) file.format_location = format->location();
}

// Sections of formats that the file does not have are read as well, for their mistakes.
void read_format_sections(const Value& value, OutputEntry& file, Problems& problems) {
  for (const output::Format* format : output::formats()) {
    const auto section = format->is_for_files() ? format->section() : std::nullopt;
    const Value* given = section ? value.find(section->option.name) : nullptr;
    if (given == nullptr) continue;
    auto options = section->read(file.path, *given, problems);
    file.format_sections[format->name()] = given->location();
    if (format->name() == file.format) file.format_options = std::move(options);
  }
}

// CMIP wants files in netCDF's classic model. A format with a choice of data models has this word for it.
void choose_data_model(OutputEntry& file) {
  constexpr const char* word = "classic_where_possible";
  const auto is_of_cmip = [](const VariableEntry& variable) { return variable.cmip != nullptr; };
  const output::Format* format = output::find_format(file.format);
  if (format == nullptr || file.format_options || std::ranges::none_of(file.variables, is_of_cmip)) return;
  const auto section = format->section();
  if (!section) return;
  const bool has_models = std::ranges::any_of(section->option.type.options, [&](const Option& option) {
    return option.name == "data_model" && std::ranges::count(option.type.names, word) > 0;
  });
  if (!has_models) return;
  Problems none;
  const Value value = config::check(config::parse_yaml("", fmt::format("{{data_model: {}}}", word), none),
                                    section->option.type, "", {}, none);
  file.format_options = section->read(file.path, value, none);
}

OutputEntry file_of(const ValueEntry& entry, Problems& problems) {
  OutputEntry file;
  file.location = entry.location;
  file.path = entry.key;
  set_writing(entry.value, file);
  file.codec = read_part(compression(), entry.value, problems).value_or(codecs::CodecOptions());
  read_format_sections(entry.value, file, problems);
  if (const output::Format* format = file.writer(); format != nullptr && !format->is_for_files())
    file.gathers = false;  // readers of a stream get each record when it is complete
  file.attributes = output::attributes_of(entry.value);
  file.date_attribute = config::text_of(entry.value, "date_attribute");
  if (const Value* names = entry.value.find("write_attributes"))
    file.write_attributes = {text_of(*names, "time"), text_of(*names, "step"),
                             text_of(*names, "previous_time")};
  if (const Value* also = entry.value.find("also_coordinates")) {
    file.also_coordinates_location = also->location();
    for (const Value& name : also->items()) file.also_coordinates.push_back(name.text());
  }
  file.time_attributes = output::attributes_of(entry.value, "time_attributes");
  file.option_tables =
      read_part(option_tables_section(), entry.value, problems).value_or(std::vector<OptionTable>());
  file.stations = read_part(points::stations_section(), entry.value, problems);
  file.trajectories = read_part(points::trajectories_section(), entry.value, problems);
  if (file.stations && file.trajectories)
    problems.add(file.trajectories->location, file.trajectories->config_path,
                 "the file has `stations` already; expected one of both, and another file for the other");
  file.variables =
      read_part(variables_section(), entry.value, problems).value_or(std::vector<VariableEntry>());
  if (auto regrid = read_part(regridding(), entry.value, problems); regrid && *regrid)
    file.regrid = std::make_shared<regrid::Options>(std::move(**regrid));
  for (VariableEntry& variable : file.variables)
    if (!variable.says_regrid) variable.regrid = file.regrid;
  file.pyramid = read_part(pyramid_section(), entry.value, problems);
  choose_data_model(file);
  return file;
}

Files read(const Value& value, Problems& problems) {
  Files files;
  for (const auto& entry : value.entries()) files.push_back(file_of(entry, problems));
  return files;
}

void check_paths(const Files& files, Problems& problems) {
  std::map<std::string, const OutputEntry*> seen;
  for (const OutputEntry& file : files) {
    const std::string path = std::filesystem::path(file.path).lexically_normal().string();
    const auto [first, fresh] = seen.try_emplace(path, &file);
    if (!fresh)
      problems.add(file.location, "output." + file.path,
                   fmt::format("is the same file as \"{}\" at {}", first->second->path,
                               first->second->location.text()));
  }
}

void check_series(const OutputEntry& file, Problems& problems) {
  if (file.series && file.new_file_every)
    problems.add(file.new_file_every_location, "output." + file.path + ".new_file_every",
                 "`file_per_write` ends a file with each write; expected only one of the two");
  for (const VariableEntry& variable : file.variables)
    if (file.series && !variable.chunk.empty() && variable.chunk.front() > 1)
      problems.add(
          variable.chunk_location, variable.config_path + ".chunk",
          fmt::format("with `file_per_write` a chunk holds one record, since any may be the first of a file; "
                      "expected 1 along \"records\", but got {}",
                      variable.chunk.front()));
}

// A variable made of a whole run cannot be in a file that ends before the run, or that another run began.
void check_cycles(const OutputEntry& file, Problems& problems) {
  for (const VariableEntry& variable : file.variables) {
    if (variable.cycle == time::Cycle::none) continue;
    const auto refuse = [&](const std::string& why) {
      problems.add(variable.every_location, variable.config_path + ".each", why);
    };
    if (file.has_many_files())
      refuse(
          "its records come when the run ends; expected a file without `new_file_every` and "
          "`file_per_write`");
    if (file.if_exists == output::IfExists::append)
      refuse("its records are made of this run alone; expected a file without `if_exists: append`");
    if (variable.whole_samples) refuse("samples are divided between its windows; expected `edges: exact`");
    const bool fits =
        variable.reduction == time::ReductionKind::mean || variable.reduction == time::ReductionKind::min ||
        variable.reduction == time::ReductionKind::max || variable.reduction == time::ReductionKind::sum;
    if (!fits)
      refuse(fmt::format("expected `operation: mean`, `min`, `max` or `sum`, but got {}",
                         time::name_of(variable.reduction)));
  }
}

void check_periods(const OutputEntry& file, const Sections& all, Problems& problems) {
  if (file.copy) return;  // as the file that it is a copy of
  check_months(file.write_every, file.write_every_location, "output." + file.path + ".write_every", all,
               problems);
  if (file.new_file_every)
    check_months(*file.new_file_every, file.new_file_every_location,
                 "output." + file.path + ".new_file_every", all, problems);
  for (const VariableEntry& variable : file.variables)
    check_months(variable.every, variable.every_location,
                 variable.config_path + (variable.cycle == time::Cycle::none ? ".every" : ".each"), all,
                 problems);
  if (file.pyramid)
    for (std::size_t i = 0; i < file.pyramid->periods.size(); ++i)
      check_months(file.pyramid->periods[i], file.pyramid->period_locations[i],
                   file.pyramid->config_path + ".periods", all, problems);
  if (!all.is_sound("model_time")) return;
  const auto& model_time = all.get<time::ModelTime>();
  time::check_span(file.span, calendar::Calendar(model_time.calendar, model_time.start),
                   "output." + file.path, problems);
}

// Checks that the names of fields and groups exist.
void check_targets(const Files& files, const Sections& all, Problems& problems) {
  if (problems.touch("fields")) return;  // it would only repeat the mistake
  ListedNames listed(all);
  const Groups& groups = all.get<Groups>();
  std::vector<std::string> group_names;
  for (const auto& [name, members] : groups) group_names.push_back(name);
  for (const OutputEntry& file : files) {
    for (const VariableEntry& variable : file.variables) {
      if (!variable.pattern.empty())
        listed.expect_like({.name = variable.pattern, .location = variable.target_location},
                           variable.config_path + ".fields", problems);
      if (!variable.field.empty())
        listed.expect({.name = variable.field, .location = variable.target_location},
                      variable.config_path + ".field", problems);
      if (variable.regrid)
        for (const regrid::Merge& merge : variable.regrid->merges)
          for (const regrid::Merge::Name& name : merge.names)
            listed.expect({.name = name.field, .location = name.location},
                          variable.regrid->config_path + ".merge", problems);
      if (variable.group.empty() || is_open(variable.group) || !all.is_sound("groups")) continue;
      if (!groups.contains(variable.group))
        problems.add(variable.target_location, variable.config_path + ".group",
                     fmt::format("\"{}\" is not among the `groups`.{}", variable.group,
                                 base::name_hint(variable.group, group_names)));
    }
  }
}

// A field that is sent once has no operation over time. Patterns are left out, since they may match fields
// that the model lacks, and CMIP tables too, since the comparison of the field with its table reports more.
void check_fixed(const Files& files, const Sections& all, Problems& problems) {
  std::set<std::string> fixed;
  for (const FieldGroup& group : all.get<std::vector<FieldGroup>>())
    for (const ListedName& field : group.fields)
      if (group.once) fixed.insert(field.name);
  for (const OutputEntry& file : files)
    for (const VariableEntry& variable : file.variables)
      if (fixed.contains(variable.field) && !variable.cmip &&
          variable.reduction != time::ReductionKind::snapshot)
        problems.add(
            variable.location, variable.config_path + ".operation",
            fmt::format("\"{}\" is sent only once, so only a snapshot can be taken", variable.field));
}

// Points and split variables have no cells of the Earth left, or are many.
void check_regridding(const OutputEntry& file, Problems& problems) {
  const points::PointSet* points = file.points();
  for (const VariableEntry& variable : file.variables) {
    if (!variable.regrid) continue;
    if (points != nullptr)
      problems.add(points->location, points->config_path,
                   fmt::format("the file regrids its variables, at {}; expected points or another grid, and "
                               "two files for both",
                               variable.regrid->location.text()));
    if (!variable.split.empty())
      problems.add(variable.split_location, variable.config_path + ".split",
                   "regridded variables cannot be split; expected `regrid: none` with this variable, or no "
                   "`split`");
  }
  if (points != nullptr && file.pyramid)
    problems.add(file.pyramid->location, file.pyramid->config_path,
                 "a file with points has no coarser copies");
}

void check(const Files& files, const Sections& all, Problems& problems) {
  check_paths(files, problems);
  for (const OutputEntry& file : files) {
    check_series(file, problems);
    check_format(file, problems);
    check_cycles(file, problems);
    check_regridding(file, problems);
    check_layout(file, problems);
    check_periods(file, all, problems);
  }
  check_file_names(files, all, problems);
  check_targets(files, all, problems);
  check_fixed(files, all, problems);
}

// It is no value of its own: the checker looks into it for what a file or variable leaves out.
struct Defaults {
  bool operator==(const Defaults&) const = default;
};

config::Section<Defaults> defaults_section() {
  std::vector<Option> options = file_defaults();
  std::ranges::copy(variable_defaults(), std::back_inserter(options));
  Option option =
      defaults_option("The options that all files and their variables share, unless a file overrides them.",
                      std::move(options));
  return {.option = std::move(option), .read = [](const Value&, Problems&) { return Defaults(); }};
}

const SectionRegistration registration{files_section};
const SectionRegistration of_defaults{defaults_section};

}  // namespace

output::IfExists if_exists(const OutputEntry& file, double begin) {
  // Everybody with access to the bucket has the names on an object store.
  const bool may_replace = begin <= 0.0 && !output::object_store::is_object_url(file.path);
  return file.if_exists.value_or(may_replace ? output::IfExists::replace : output::IfExists::fail);
}

config::Section<Files> files_section() {
  return {.option = {.name = "output",
                     .type = map("file", joined_section({inherited(file_defaults()), what_it_holds()})),
                     .description = "The files to write, by their path.",
                     .example = "{out.nc: {variables: [{field: w, operation: mean, every: 10 s}]}}"},
          .read = read,
          .check = check};
}

}  // namespace tailrace::settings
