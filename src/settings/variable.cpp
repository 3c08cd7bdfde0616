#include "settings/variable.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "codecs/options.hpp"
#include "config/read.hpp"
#include "output/options.hpp"
#include "output/variable_name.hpp"
#include "regrid/section.hpp"
#include "settings/scalar_coordinates.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

std::vector<std::string> data_type_names() {
  std::vector<std::string> names;
  for (const model::DataType type : model::all_data_types()) names.emplace_back(model::name_of(type));
  return names;
}

std::optional<model::DataType> type_of(const std::string& name) {
  for (const model::DataType type : model::all_data_types())
    if (model::name_of(type) == name) return type;
  return std::nullopt;
}

config::Section<codecs::CodecOptions> compression() {
  return codecs::compression_section("The compression of this variable, in place of that of the file.");
}

config::Section<std::optional<regrid::Options>> regridding() {
  return regrid::regrid_section(
      "The grid to which this variable is regridded, in place of that of the file; `none`: its own grid.");
}

std::shared_ptr<regrid::Options> shared(std::optional<regrid::Options> options) {
  return options ? std::make_shared<regrid::Options>(std::move(*options)) : nullptr;
}

std::vector<Option> what_is_written() {
  return {
      {.name = "field",
       .type = text(),
       .description = "The field to write; give either this, `fields` or `group`.",
       .example = "theta"},
      {.name = "fields",
       .type = text(),
       .description =
           "A pattern: each field and diagnostic whose name is like it becomes a variable, unless an entry "
           "with `field` makes a variable of that name in this file. `*` stands for any characters, `?` for "
           "one.",
       .example = "tas*"},
      {.name = "group",
       .type = text(),
       .description = "A name under `groups`: each of its fields becomes a variable.",
       .example = "three_d"},
      {.name = "name",
       .type = output::variable_name_type(),
       .description = "The variable's name in the file; by default the field's without its namespace.",
       .example = "theta_mean"},
      {.name = "suffix",
       .type = output::suffix_type(),
       .description =
           "A suffix to the name of the variable, or to each name of the `group`, so that one file can "
           "hold the same fields twice.",
       .example = "_mean"},
  };
}

std::vector<Option> which_records() {
  return {
      time::reduction_option(),
      {.name = "every",
       .type = time::sampling_type(),
       .description =
           "The period of the records; `never` for fields that are sent only at the end of the run. "
           "Fixed fields (`every: once` under `fields`) have no records, whatever is given here; `once` "
           "states this explicitly.",
       .example = "10 s",
       .required = true,
       .belongs_to = "each",
       .implied_by = {"cmip", "variables"}},
      time::offset_option(),
      {.name = "missing",
       .type = choice({"skip", "propagate"}),
       .description =
           "The effect on a record of missing values in a field with a fill value: the cell's other samples "
           "make the record (`skip`), or the cell is missing in it (`propagate`).",
       .example = "propagate",
       .default_value = "skip"},
      {.name = "edges",
       .type = choice({"exact", "samples"}),
       .description =
           "Where windows end: exactly at the multiples of the period, so that a sample that spans an "
           "edge is divided; or with the first sample at or after them, so that samples stay whole and a "
           "window that the run does not complete gives no record.",
       .example = "samples",
       .default_value = "exact"},
  };
}

std::vector<Option> how_it_is_shaped() {
  return {
      mip_tables::variable_option(),
      time::each_option(),
      {.name = "axis",
       .type = text(),
       .description =
           "The name of the time dimension, in place of one that Tailrace chooses; where other records "
           "need it too, `_instant` or `_2` is appended.",
       .example = "time_10s"},
      {.name = "split",
       .type = text(),
       .description =
           "A dimension of the grid along which each cell becomes a variable of its own, without that "
           "dimension: `q_vapour`, `q_rain`. The suffixes come from the attribute `flag_meanings` of the "
           "dimension's coordinate; without it they are 1, 2, ...",
       .example = "qfields"},
  };
}

std::vector<Option> how_it_is_stored() {
  return {
      {.name = "type",
       .type = choice(data_type_names()),
       .description =
           "The type in the file; by default the field's own, or float64 for means and standard "
           "deviations of integers. Values that it cannot hold become the fill value, and are counted.",
       .example = "float32"},
      {.name = "chunk",
       .type = list(integer(1), 1),
       .description =
           "The shape of a chunk: records, then the grid's dimensions, slowest first; by default it is "
           "chosen from `access` and the grid.",
       .example = "[1, 10, 64, 64]"},
  };
}

std::vector<Option> what_is_its_own() {
  return {output::pack_section().option, compression().option, regridding().option,
          scalar_coordinates_section().option,
          output::field_attributes_option("Attributes of the variable, in addition to those of the model.")};
}

void set_target(const Value& value, VariableEntry& variable, Problems& problems) {
  const Value* field = value.find("field");
  const Value* group = value.find("group");
  const Value* pattern = value.find("fields");
  if ((field != nullptr) + (group != nullptr) + (pattern != nullptr) != 1) {
    problems.add(value.location(), value.path(), "expected either `field`, `fields` or `group`");
  } else if (field == nullptr && value.find("name") != nullptr) {
    const Value& name = value.at("name");
    problems.add(
        name.location(), name.path(),
        "a `group` or pattern has many variables, which cannot share one name; `suffix` is appended to "
        "each of their names");
  }
  if (field != nullptr) variable.field = field->text();
  if (group != nullptr) variable.group = group->text();
  if (pattern != nullptr) variable.pattern = pattern->text();
  for (const Value* target : {field, group, pattern})
    if (target != nullptr) variable.target_location = target->location();
}

void set_records(const Value& value, VariableEntry& variable, Problems& problems) {
  const time::WrittenPeriod every = time::period_of(value, "every");
  variable.reduction = time::reduction_of(value);
  variable.every = time::with_offset(every, value, problems);
  variable.every_location = every.location;
  if (const time::ClimatologyPeriod each = time::each_of(value); each.location.line > 0) {
    for (const char* other : {"every", "offset"})
      if (const Value* given = value.find(other); given != nullptr && every.location.line > 0)
        problems.add(given->location(), given->path(),
                     "cannot be given beside `each`, which determines the records; expected only one");
    variable.every = each.every;
    variable.every_location = each.location;
    variable.cycle = each.cycle;
  }
  variable.axis = text_of(value, "axis");
  variable.split = text_of(value, "split");
  variable.whole_samples = text_of(value, "edges") == "samples";
  variable.propagates_missing = text_of(value, "missing") == "propagate";
}

// Users may not give the attributes of packed numbers: readers would take the values for another type.
void check_packing(const Value& value, VariableEntry& variable, Problems& problems) {
  if (!variable.type) variable.type = output::default_packed_type;
  if (const auto complaint = output::packed_type_complaint(*variable.type))
    problems.add(variable.pack->location, variable.pack->config_path, *complaint);
  const Value* attributes = value.find("attributes");
  if (attributes == nullptr) return;
  for (const auto& entry : attributes->entries()) {
    const bool is_scale = entry.key == "scale_factor" || entry.key == "add_offset";
    if (is_scale)
      problems.add(entry.value.location(), entry.value.path(),
                   "is part of how values are packed, and follows from `pack`");
    else if (model::has_own_type(entry.key))
      problems.add(
          entry.value.location(), entry.value.path(),
          "would be held against the packed numbers, not the values; leave it out of a variable with "
          "`pack`");
  }
}

void set_storage(const Value& value, VariableEntry& variable, Problems& problems) {
  variable.type = type_of(text_of(value, "type"));
  variable.pack = read_part(output::pack_section(), value, problems);
  variable.codec = read_part(compression(), value, problems);
  if (const Value* chunk = value.find("chunk")) {
    variable.chunk_location = chunk->location();
    for (const Value& extent : chunk->items()) variable.chunk.push_back(extent.integer());
  }
  variable.attributes = output::attributes_of(value);
  if (const Value* attributes = value.find("attributes"))
    for (const ValueEntry& entry : attributes->entries())
      if (entry.key == model::coordinates_attribute) variable.coordinates_attribute = entry.value.location();
  variable.coordinates =
      read_part(scalar_coordinates_section(), value, problems).value_or(std::vector<model::Coordinate>());
  if (variable.pack) check_packing(value, variable, problems);
  if (variable.pack && variable.codec && variable.codec->keep)
    problems.add(
        value.at("compression").at("keep").location(), value.at("compression").path() + ".keep",
        "cannot be given beside `pack`, which rounds values to multiples of its scale factor; expected "
        "one of both");
}

VariableEntry variable_of(const Value& value, Problems& problems) {
  VariableEntry variable;
  variable.location = value.location();
  variable.config_path = value.path();
  set_target(value, variable, problems);
  variable.name = text_of(value, "name");
  variable.suffix = text_of(value, "suffix");
  set_records(value, variable, problems);
  set_storage(value, variable, problems);
  if (auto regrid = read_part(regridding(), value, problems)) {
    variable.says_regrid = true;
    variable.regrid = shared(std::move(*regrid));
  }
  if (const Value* split = value.find("split")) variable.split_location = split->location();
  if (value.find("cmip") != nullptr)
    variable.cmip = std::make_shared<mip_tables::Request>(mip_tables::request_of(value));
  return variable;
}

// Refuses options of a group that apply to none of its variables.
void check_group(const Value& group, Problems& problems) {
  for (const ValueEntry& entry : group.entries())
    if (entry.key != "defaults" && entry.key != "variables" && entry.location.line > 0 &&
        !entry.value.inherited())
      problems.add(
          entry.location, entry.value.path(),
          "cannot be given beside `variables`; expected it under `defaults`, or with one of the variables");
}

void read_entry(const Value& item, std::vector<VariableEntry>& variables, Problems& problems) {
  const Value* defaults = item.find("defaults");
  const Value* nested = item.find("variables");
  if (nested == nullptr) {
    if (defaults != nullptr)
      problems.add(defaults->location(), defaults->path(), "is for `variables` below it; expected both");
    return variables.push_back(variable_of(item, problems));
  }
  check_group(item, problems);
  const std::size_t first = variables.size();
  for (const Value& inner : nested->items()) read_entry(inner, variables, problems);
  if (defaults == nullptr) return;
  // Not inherited like the others: at the top, `compression` and `regrid` apply to files.
  const auto codec = read_part(compression(), *defaults, problems);
  auto given = read_part(regridding(), *defaults, problems);
  const auto regrid = given ? shared(std::move(*given)) : nullptr;
  for (std::size_t i = first; i < variables.size(); ++i) {
    if (codec && !variables[i].codec) variables[i].codec = codec;
    if (!given || std::exchange(variables[i].says_regrid, true)) continue;
    variables[i].regrid = regrid;
  }
}

std::vector<VariableEntry> read(const Value& value, Problems& problems) {
  std::vector<VariableEntry> variables;
  for (const Value& item : value.items()) read_entry(item, variables, problems);
  return variables;
}

constexpr int levels_of_groups = 3;

std::vector<Option> group_defaults() {
  std::vector<Option> options = variable_defaults();
  options.push_back(compression().option);
  options.push_back(regridding().option);
  return options;
}

// A variable, or a group of variables with common options, which may contain groups.
Type entry_type(int levels) {
  const std::vector<Option> variable = joined_section({what_is_written(), inherited(variable_defaults()),
                                                       how_it_is_shaped(), what_is_its_own()})
                                           .options;
  if (levels == 0) return section(variable);
  const std::vector<Option> group{
      defaults_option("The options that the `variables` below share. A group has no options besides these "
                      "two.",
                      group_defaults()),
      {.name = "variables",
       .type = list(entry_type(levels - 1), 1),
       .description = "Variables, or groups again, that share the `defaults` beside them.",
       .example = "[{field: theta, every: 1 h}]"}};
  return joined_section({variable, group});
}

}  // namespace

std::vector<Option> variable_defaults() {
  std::vector<Option> options = which_records();
  std::ranges::copy(how_it_is_stored(), std::back_inserter(options));
  return options;
}

config::Section<std::vector<VariableEntry>> variables_section() {
  return {
      .option = {.name = "variables",
                 .type = list(entry_type(levels_of_groups), 1),
                 .description = "The variables of the file, and groups of them with `defaults` of their own.",
                 .example = "[{field: theta, operation: mean, every: 10 s}]",
                 .required = true},
      .read = read};
}

}  // namespace tailrace::settings
