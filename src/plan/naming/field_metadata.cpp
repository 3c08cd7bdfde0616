#include "plan/naming/field_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/nearest_name.hpp"
#include "config/problems.hpp"
#include "settings/field_metadata.hpp"
#include "units/unit_system.hpp"

namespace tailrace::plan {
namespace {

const settings::NamedFields& none() {
  static const settings::NamedFields empty;
  return empty;
}

// A configuration that was made without a text has no such section.
const settings::NamedFields& names_in(const settings::Configuration& configuration) {
  const auto* named = configuration.sections.find<settings::NamedFields>();
  return named == nullptr ? none() : *named;
}

void give(model::Field& field, const settings::FieldMetadata& metadata, config::Problems& problems) {
  if (!metadata.units.empty() && !field.units.empty() &&
      !units::unit_system().same(field.units, metadata.units))
    problems.add(
        metadata.location, "names." + field.name,
        fmt::format("the model declares \"{}\" in \"{}\", which is not \"{}\"; values are written as "
                    "they are. Correct the units here, or convert them in a diagnostic",
                    field.name, field.units, metadata.units));
  if (!metadata.units.empty()) field.units = metadata.units;
  if (!metadata.standard_name.empty()) field.standard_name = metadata.standard_name;
  if (!metadata.long_name.empty()) field.long_name = metadata.long_name;
  for (const auto& [name, value] : metadata.attributes) field.attributes[name] = value;
}

bool has_bare_name(const model::Field& field, const std::string& name) {
  return field.name == name || field.name.substr(field.name.rfind('.') + 1) == name;
}

}  // namespace

model::Declarations with_metadata(model::Declarations declarations,
                                  const settings::Configuration& configuration) {
  const settings::NamedFields& named = names_in(configuration);
  if (named.by_field.empty()) return declarations;
  config::Problems problems;
  for (model::Field& field : declarations.fields)
    if (const settings::FieldMetadata* metadata = field.is_put() ? named.find(field.name) : nullptr)
      give(field, *metadata, problems);
  problems.throw_if_any();
  return declarations;
}

std::vector<std::string> misspelt_names(const model::Declarations& declarations,
                                        const settings::Configuration& configuration) {
  const settings::NamedFields& named = names_in(configuration);
  std::vector<std::string> lines, nameless;
  if (named.by_field.empty()) return lines;
  for (const model::Field& field : declarations.fields)
    if (field.is_put() && named.find(field.name) == nullptr) nameless.push_back(field.name);
  for (const auto& [name, metadata] : named.by_field) {
    if (std::ranges::any_of(declarations.fields,
                            [&](const auto& field) { return has_bare_name(field, name); }))
      continue;
    if (const std::optional<std::string> near = base::nearest_name(name, nameless))
      lines.push_back(fmt::format("{}  names.{}: the model declares no field \"{}\". Did you mean \"{}\"?",
                                  metadata.location.text(), name, name, *near));
  }
  return lines;
}

}  // namespace tailrace::plan
