#include "settings/diagnostics.hpp"

#include "config/read.hpp"
#include "output/options.hpp"
#include "settings/scalar_coordinates.hpp"

namespace tailrace::settings {
namespace {

using config::text_of;
using config::Value;

config::Type diagnostic_type() {
  using namespace config;
  return section({
      {.name = "is",
       .type = text(),
       .description = "The expression that computes it from fields, coordinates and other diagnostics.",
       .example = "\"mean(theta, y, x)\"",
       .required = true},
      {.name = "units",
       .type = text(),
       .description =
           "The units of the result; values are converted to them. By default those of the expression.",
       .example = "K"},
      {.name = "long_name",
       .type = text(),
       .description = "A description in words.",
       .example = "horizontal mean potential temperature"},
      {.name = "standard_name",
       .type = text(),
       .description = "Its CF standard name.",
       .example = "air_potential_temperature"},
      scalar_coordinates_section().option,
      output::variable_attributes_option("Attributes of the diagnostic, of whatever file."),
      {.name = "dims",
       .type = list(text(), 1),
       .description =
           "The names of its dimensions, slowest first, in place of those of the expression. A dimension "
           "of that name on one of the model's grids, of the same extent, brings its coordinate.",
       .example = "[zn]"},
      {.name = "optional",
       .type = flag(),
       .description =
           "Whether the diagnostic is left out, with the variables made from it, where a field that it "
           "needs does not exist. Otherwise this is an error.",
       .example = "true",
       .default_value = "false"},
  });
}

DiagnosticEntry diagnostic_of(const config::ValueEntry& entry, config::Problems& problems) {
  DiagnosticEntry diagnostic;
  diagnostic.name = entry.key;
  diagnostic.location = entry.location;
  if (const Value* is = entry.value.find("is")) {
    diagnostic.is = is->text();
    diagnostic.is_location = is->location();
    if (is->quoted()) ++diagnostic.is_location.column;
  }
  diagnostic.units = text_of(entry.value, "units");
  diagnostic.long_name = text_of(entry.value, "long_name");
  diagnostic.standard_name = text_of(entry.value, "standard_name");
  diagnostic.attributes = output::attributes_of(entry.value);
  diagnostic.coordinates = read_part(scalar_coordinates_section(), entry.value, problems)
                               .value_or(std::vector<model::Coordinate>());
  if (const Value* dims = entry.value.find("dims"))
    for (const Value& dim : dims->items()) diagnostic.dims.push_back(dim.text());
  diagnostic.optional = config::flag_of(entry.value, "optional", diagnostic.optional);
  return diagnostic;
}

std::vector<DiagnosticEntry> read(const Value& value, config::Problems& problems) {
  std::vector<DiagnosticEntry> diagnostics;
  for (const auto& entry : value.entries()) diagnostics.push_back(diagnostic_of(entry, problems));
  return diagnostics;
}

const config::SectionRegistration registration{diagnostics_section};

}  // namespace

config::Section<std::vector<DiagnosticEntry>> diagnostics_section() {
  return {.option = {.name = "diagnostics",
                     .type = config::map("name", diagnostic_type()),
                     .description = "The diagnostics that the servers compute from the fields.",
                     .example = "{theta_mean: {is: \"mean(theta, y, x)\", units: K}}"},
          .read = read};
}

}  // namespace tailrace::settings
