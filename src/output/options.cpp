#include "output/options.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "model/name.hpp"

namespace tailrace::output {
namespace {

using config::Kind;
using config::Value;

// Whole numbers stay whole where all are.
AttributeValue list_of(const std::vector<Value>& items) {
  std::vector<double> reals;
  std::vector<std::int64_t> wide;
  std::vector<std::int32_t> narrow;
  for (const Value& item : items) {
    reals.push_back(item.real());
    if (!item.is_integer()) continue;
    wide.push_back(item.integer());
    if (std::in_range<std::int32_t>(item.integer()))
      narrow.push_back(static_cast<std::int32_t>(item.integer()));
  }
  if (narrow.size() == items.size()) return narrow;
  if (wide.size() == items.size()) return wide;
  return reals;
}

AttributeValue attribute_of(const Value& value) {
  if (value.kind() == Kind::list) return list_of(value.items());
  if (value.kind() == Kind::real) return value.real();
  if (value.kind() != Kind::integer) return value.text();
  if (std::in_range<std::int32_t>(value.integer())) return static_cast<std::int32_t>(value.integer());
  return value.integer();
}

config::Option option_of(const std::string& says, const std::string& example,
                         std::optional<std::string> (*complaint)(std::string_view)) {
  config::Type attributes =
      config::map("attribute", config::either({config::plain(), config::list(config::real(-1e308), 1)}));
  attributes.complaint = complaint;
  return {.name = "attributes", .type = std::move(attributes), .description = says, .example = example};
}

// Protects the attributes by which readers find the time, and those that the run writes about itself.
std::optional<std::string> time_attribute_complaint(std::string_view name) {
  if (name == "bounds") return std::nullopt;  // where the model gives them as a field
  for (const char* own : {"units", "calendar", "units_metadata", "standard_name", "axis", "climatology"})
    if (name == own) return "is written automatically, from `model_time` and the kind of file";
  return model::variable_attribute_complaint(name);
}

}  // namespace

config::Option format_option() {
  std::vector<std::string> names;
  for (const Format* format : formats())
    if (format->is_for_files()) names.push_back(format->name());
  return {.name = "format",
          .type = config::choice(std::move(names)),
          .description = "The format of the file; `memory` and `null` are for tests and measurements.",
          .example = "netcdf",
          .default_value = default_format};
}

config::Option attributes_option(const std::string& says) {
  return option_of(says, "{comment: first try}", &model::attribute_name_complaint);
}

config::Option variable_attributes_option(const std::string& says) {
  return option_of(says, "{comment: first try, valid_range: [180, 330]}",
                   &model::variable_attribute_complaint);
}

config::Option field_attributes_option(const std::string& says) {
  return option_of(says, "{comment: first try, valid_range: [180, 330]}", &model::field_attribute_complaint);
}

config::Option time_attributes_option(const std::string& says) {
  config::Option option = option_of(says, "{long_name: time of the forecast}", &time_attribute_complaint);
  option.name = "time_attributes";
  return option;
}

Attributes attributes_of(const Value& section, std::string_view option) {
  Attributes attributes;
  if (const Value* value = section.find(option))
    for (const auto& entry : value->entries()) attributes.emplace_back(entry.key, attribute_of(entry.value));
  return attributes;
}

}  // namespace tailrace::output
