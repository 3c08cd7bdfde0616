#include "settings/coupling/coupling.hpp"

#include <fmt/format.h>

#include <limits>

#include "config/read.hpp"
#include "config/sources.hpp"
#include "regrid/section.hpp"
#include "settings/fields.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using config::Value;

config::Type field_type() {
  return config::section({
      {.name = "levels",
       .type = config::text(),
       .description =
           "The name of the dimension along a collection of YAC, such as levels; `level_90` for 90 of them "
           "if it is not given.",
       .example = "height"},
      {.name = "fill_value",
       .type = config::real(-std::numeric_limits<double>::infinity()),
       .description =
           "The value that means missing. Cells for which YAC has no value get it too. NaN if it is not "
           "given.",
       .example = "-999.0"},
  });
}

config::Type levels_type() {
  return config::section({
      {.name = "file",
       .type = config::text(),
       .description =
           "A NetCDF file with the coordinate of this dimension, relative to the configuration file that "
           "names it. Values and attributes are taken.",
       .example = "levels.nc",
       .required = true},
      {.name = "variable",
       .type = config::text(),
       .description = "The name of the coordinate in the file; by default that of the dimension.",
       .example = "plev"},
  });
}

config::Type type() {
  return config::section({
      {.name = "component",
       .type = config::text(),
       .description = "The name of this component in the coupled run.",
       .example = "output",
       .default_value = "tailrace"},
      {.name = "grids",
       .type = config::map("grid", regrid::target_type()),
       .description =
           "The grids of this component, by the names that the couples of YAC's configuration use. The cells "
           "are given in the words of a target of `regrid`. `tailrace serve --yac` needs them.",
       .example = "{boxes: {latlon: 10 deg}}"},
      {.name = "fields",
       .type = config::map("field", field_type()),
       .description = "Properties of fields that YAC does not know; only fields that have any are listed.",
       .example = "{ta: {levels: height}}"},
      {.name = "levels",
       .type = config::map("dimension", levels_type()),
       .description =
           "Where dimensions along collections of YAC have their coordinates, which YAC does not know.",
       .example = "{height: {file: levels.nc}}"},
      {.name = "wait_for",
       .type = time::duration_or_off_type(),
       .description =
           "How long another component may take from one exchange of a field to the next. Then the run ends "
           "with an error, and the files are complete up to there.",
       .example = "2 h",
       .default_value = "30 min"},
  });
}

CoupledField field_of(const config::ValueEntry& entry) {
  CoupledField field{.name = entry.key, .location = entry.location, .levels = {}, .fill_value = {}};
  field.levels = config::text_of(entry.value, "levels");
  if (const Value* fill = entry.value.find("fill_value")) field.fill_value = fill->real();
  return field;
}

CoupledLevels levels_of(const config::ValueEntry& entry) {
  CoupledLevels levels{.dim = entry.key,
                       .location = entry.location,
                       .file = {},
                       .variable = config::text_of(entry.value, "variable", entry.key)};
  if (const Value* file = entry.value.find("file"))
    levels.file = config::path_beside(file->location().file, file->text());
  return levels;
}

Coupling read(const Value& value, config::Problems& problems) {
  Coupling coupling;
  coupling.location = value.location();
  coupling.component = config::text_of(value, "component", coupling.component);
  if (coupling.component.empty())
    problems.add(value.at("component").location(), "yac.component", "expected a name, but got none");
  if (const Value* grids = value.find("grids"))
    for (const auto& entry : grids->entries())
      coupling.grids.push_back({entry.key, regrid::target_of(entry.value, problems), entry.location});
  if (const Value* fields = value.find("fields"))
    for (const auto& entry : fields->entries()) coupling.fields.push_back(field_of(entry));
  if (const Value* levels = value.find("levels"))
    for (const auto& entry : levels->entries()) coupling.levels.push_back(levels_of(entry));
  coupling.wait_seconds = time::seconds_of(value, "wait_for", coupling.wait_seconds);
  return coupling;
}

// No model declares fields where the component has grids, so a pattern stands for none. (PISM's files have no
// grids here.)
void check(const Coupling& coupling, const config::Sections& all, config::Problems& problems) {
  const auto* groups = all.find<std::vector<FieldGroup>>();
  if (coupling.grids.empty() || groups == nullptr) return;
  for (const FieldGroup& group : *groups)
    for (const ListedName& field : group.fields)
      if (is_pattern(field.name))
        problems.add(
            field.location, "fields." + group.name + ".names",
            fmt::format("\"{}\" stands for fields that a model declares, and this component gets its "
                        "fields from YAC; expected their names",
                        field.name));
}

// (A default has no line.)
bool is_given(const Value* servers, const char* option) {
  const Value* value = servers == nullptr ? nullptr : servers->find(option);
  return value != nullptr && value->location().line > 0;
}

const config::SectionRegistration registration{coupling_section};

}  // namespace

config::Section<Coupling> coupling_section() {
  return {.option = {.name = "yac",
                     .type = type(),
                     .description =
                         "The component that `tailrace serve --yac` is in a run that YAC couples. With this "
                         "section `servers.mode` is `attached` by default.",
                     .example = "{component: output, grids: {boxes: {latlon: 10 deg}}}"},
          .read = read,
          .check = check};
}

void set_defaults_of_servers(const Coupling& coupling, const Value& root, ServersOptions& servers) {
  if (coupling.location.line == 0) return;
  const Value* given = root.find("servers");
  if (!is_given(given, "mode")) servers.mode = Mode::attached;
  if (!is_given(given, "model_uses_hdf5")) servers.model_uses_hdf5 = false;
}

}  // namespace tailrace::settings
