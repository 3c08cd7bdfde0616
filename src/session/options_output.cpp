#include <algorithm>
#include <cctype>

#include "model/data_type.hpp"
#include "output/dataset.hpp"
#include "session/options.hpp"
#include "time/accumulator.hpp"

namespace tailrace::session {

using namespace config;

namespace {

Type compression_schema() {
  const std::vector<std::string> codecs{"none", "zlib", "zstd"};
  return either(
      {choice(codecs), section({
                           {.name = "codec",
                            .type = choice(codecs),
                            .says = "How chunks are compressed, without loss.",
                            .example = "zstd",
                            .required = true},
                           {.name = "level",
                            .type = integer(1, 22),
                            .says = "How hard the codec tries: 1 to 12 for zlib, 1 to 22 for zstd.",
                            .example = "3",
                            .fallback = "1"},
                           {.name = "shuffle",
                            .type = flag(),
                            .says = "Whether bytes of equal weight are put side by side first.",
                            .example = "false",
                            .fallback = "true"},
                           {.name = "keep",
                            .type = section({}),
                            .says = "What must be kept when loss is allowed, as a bound on the error.",
                            .example = "{}",
                            .available = false},
                       })});
}

Type attributes_schema() { return map("attribute", either({plain(), list(real(-1e308))})); }

bool is_made_of_name_characters(const std::string& text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), fits);
}

std::optional<std::string> suffix_complaint(const std::string& suffix) {
  if (is_made_of_name_characters(suffix)) return std::nullopt;
  return "expected letters, digits and underscores, but got \"" + suffix + "\"";
}

std::vector<std::string> data_type_names() {
  using model::DataType;
  std::vector<std::string> names;
  for (const DataType type : {DataType::float32, DataType::float64, DataType::int32, DataType::int64})
    names.emplace_back(model::name_of(type));
  return names;
}

Option compression_option(const std::string& says) {
  return {.name = "compression",
          .type = compression_schema(),
          .says = says,
          .example = "{codec: zlib, level: 1, shuffle: true}"};
}

Option attributes_option(const std::string& says) {
  return {.name = "attributes", .type = attributes_schema(), .says = says, .example = "{comment: first try}"};
}

Type variable_schema() {
  return section({
      {.name = "field",
       .type = text(),
       .says = "The field to write; either this or `group` is given.",
       .example = "theta"},
      {.name = "group",
       .type = text(),
       .says = "A name under `groups`: each of its fields becomes a variable.",
       .example = "three_d"},
      {.name = "name",
       .type = checked("a name made of letters, digits and underscores", variable_name_complaint),
       .says = "The variable's name in the file; by default the field's without its namespace.",
       .example = "theta_mean"},
      {.name = "suffix",
       .type = checked("a word made of letters, digits and underscores", suffix_complaint),
       .says =
           "What is put behind the variable's name, or behind each name of the `group`, so that one file can "
           "hold the same fields twice.",
       .example = "_mean"},
      {.name = "time",
       .type = choice(time::reduction_names()),
       .says = "How the samples of a period become one record.",
       .example = "mean",
       .fallback = "snapshot"},
      {.name = "every",
       .type = period_or_never_type(),
       .says = "The period of the records; `never` for fields that come at the end of the run alone.",
       .example = "10 s",
       .required = true},
      {.name = "edges",
       .type = choice({"exact", "samples"}),
       .says =
           "Where windows end: at the very multiples of the period, so that a sample which reaches over the "
           "edge is shared out; or with the first sample at or past them, so that samples stay whole and a "
           "window that the run does not complete gives no record.",
       .example = "samples",
       .fallback = "exact"},
      {.name = "axis",
       .type = text(),
       .says =
           "The name of the time dimension, instead of one that Tailrace chooses; where other records need "
           "it too, `_instant` or `_2` is put behind it.",
       .example = "time_10s"},
      {.name = "split",
       .type = text(),
       .says = "A dimension of the grid along which each cell becomes a variable of its own, without that "
               "dimension: `q_vapour`, `q_rain`. What is put behind the name comes from the attribute "
               "`flag_meanings` of the dimension's coordinate; else it is 1, 2, ...",
       .example = "qfields"},
      {.name = "type",
       .type = choice(data_type_names()),
       .says = "The type in the file; by default the field's own, or float64 for means and standard "
               "deviations of "
               "integers.",
       .example = "float32"},
      compression_option("How this variable is compressed, instead of what the file says."),
      {.name = "chunk",
       .type = list(integer(1), 1),
       .says = "The shape of a chunk: records, then the grid's dimensions, slowest first; by default it is "
               "chosen from "
               "`access` and the decomposition.",
       .example = "[1, 10, 64, 64]"},
      attributes_option("Attributes of the variable, besides those the model gave."),
  });
}

Type option_table_schema() {
  return section({
      {.name = "prefix",
       .type = text(),
       .says = "What the names of its options begin with, and what is left off in the table; empty for all "
               "options. By default the variable's name and a point.",
       .example = "q_indicies."},
      {.name = "dimension",
       .type = checked("a name made of letters, digits and underscores", variable_name_complaint),
       .says =
           "The name of the dimension along which the options lie; by default the variable's with `_entry` "
           "behind it.",
       .example = "number_options"},
      {.name = "optional",
       .type = flag(),
       .says = "Whether it is left out where the model gave no such option; otherwise that is an error.",
       .example = "true",
       .fallback = "false"},
  });
}

}  // namespace

std::optional<std::string> variable_name_complaint(const std::string& name) {
  if (is_made_of_name_characters(name) && std::isdigit(static_cast<unsigned char>(name.front())) == 0)
    return std::nullopt;
  return "expected letters, digits and underscores, not starting with a digit, but got \"" + name + "\"";
}

Type output_schema() {
  return section({
      {.name = "format",
       .type = choice(output::format_names(), {"zarr", "adios2"}),
       .says = "The format of the file; `memory` and `null` are for tests and measurements.",
       .example = "netcdf",
       .fallback = "netcdf"},
      {.name = "write_every",
       .type = period_or_never_type(),
       .says =
           "How often what is complete is committed to the file; what is left is written at the end of the "
           "run.",
       .example = "100 s",
       .fallback = "1 step"},
      {.name = "series",
       .type = flag(),
       .says =
           "Whether each write ends a file: with the first sample at or past each multiple of `write_every`. "
           "The next records go into a new one, whose name has the multiple at which it ends: `a_100.0.nc`, "
           "`a_200.0.nc`. What is left at the end of the run makes the last one.",
       .example = "true",
       .fallback = "false"},
      {.name = "on_error",
       .type = choice({"stop", "skip", "retry"}),
       .says = "What happens when the file cannot be written: the run stops, goes on without the file, or "
               "tries again "
               "for `retry_for` and then stops.",
       .example = "skip",
       .fallback = "stop"},
      {.name = "retry_for",
       .type = duration_type(false),
       .says = "How long `on_error: retry` goes on trying.",
       .example = "5 min",
       .fallback = "60 s"},
      compression_option("How the file's variables are compressed; by default not at all."),
      {.name = "access",
       .type = choice({"auto", "maps", "series"}),
       .says = "What chunks should favour: reading whole fields at one time (`maps`), or one place over time "
               "(`series`).",
       .example = "series",
       .fallback = "auto"},
      {.name = "time_stamp",
       .type = choice({"end", "middle"}),
       .says = "Where in its window the time of a record lies.",
       .example = "middle",
       .fallback = "end"},
      {.name = "overwrite",
       .type = flag(),
       .says = "Whether a file that is already there is replaced; otherwise it is an error.",
       .example = "false",
       .fallback = "true"},
      {.name = "sync",
       .type = flag(),
       .says =
           "Whether each commit waits until the data is on the device, so that it survives a loss of power.",
       .example = "true",
       .fallback = "false"},
      attributes_option("Attributes of the file, such as title and institution."),
      {.name = "option_tables",
       .type = map("variable", option_table_schema()),
       .says = "Variables of text that hold options of the model, a name and a value each, sorted by name.",
       .example = "{options_database: {prefix: \"\"}}"},
      {.name = "state",
       .type = choice({"io"}),
       .says = "Whether the servers' own state is written into the file.",
       .example = "io",
       .available = false},
      {.name = "variables",
       .type = list(variable_schema(), 1),
       .says = "What the file holds.",
       .example = "[{field: theta, time: mean, every: 10 s}]",
       .required = true},
  });
}

}  // namespace tailrace::session
