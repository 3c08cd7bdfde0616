#include "plan/tables/field_metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analytics/units/unit_system.hpp"
#include "base/nearest_name.hpp"
#include "config/problems.hpp"
#include "settings/tables/field_metadata.hpp"

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

void give(model::Field& field, const settings::FieldMetadata& words, config::Problems& problems) {
  if (!words.units.empty() && !field.units.empty() &&
      !analytics::units::unit_system().same(field.units, words.units))
    problems.add(
        words.location, "names." + field.name,
        fmt::format("the model declares \"{}\" in \"{}\", which is not \"{}\"; values are written as "
                    "they are. Correct the units here, or convert them in a diagnostic",
                    field.name, field.units, words.units));
  if (!words.units.empty()) field.units = words.units;
  if (!words.standard_name.empty()) field.standard_name = words.standard_name;
  if (!words.long_name.empty()) field.long_name = words.long_name;
  for (const auto& [name, value] : words.attributes) field.attributes[name] = value;
}

bool has_bare_name(const model::Field& field, const std::string& name) {
  return field.name == name || field.name.substr(field.name.rfind('.') + 1) == name;
}

}  // namespace

model::Declarations with_words(model::Declarations declarations,
                               const settings::Configuration& configuration) {
  const settings::NamedFields& named = names_in(configuration);
  if (named.words.empty()) return declarations;
  config::Problems problems;
  for (model::Field& field : declarations.fields)
    if (const settings::FieldMetadata* words = field.is_static ? nullptr : named.find(field.name))
      give(field, *words, problems);
  problems.throw_if_any();
  return declarations;
}

std::vector<std::string> slips_in_names(const model::Declarations& declarations,
                                        const settings::Configuration& configuration) {
  const settings::NamedFields& named = names_in(configuration);
  std::vector<std::string> lines, nameless;
  if (named.words.empty()) return lines;
  for (const model::Field& field : declarations.fields)
    if (!field.is_static && named.find(field.name) == nullptr) nameless.push_back(field.name);
  for (const auto& [name, words] : named.words) {
    if (std::ranges::any_of(declarations.fields,
                            [&](const auto& field) { return has_bare_name(field, name); }))
      continue;
    if (const std::optional<std::string> near = base::nearest_name(name, nameless))
      lines.push_back(fmt::format("{}  names.{}: the model declares no field \"{}\". Did you mean \"{}\"?",
                                  words.location.text(), name, name, *near));
  }
  return lines;
}

}  // namespace tailrace::plan
