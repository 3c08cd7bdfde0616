#include "output/options.hpp"

#include <cstdint>
#include <limits>
#include <utility>

#include "model/name.hpp"

namespace tailrace::output {
namespace {

using config::Kind;
using config::Value;

AttributeValue attribute_of(const Value& value) {
  if (value.kind() == Kind::list) {
    std::vector<double> numbers;
    for (const Value& item : value.items()) numbers.push_back(item.real());
    return numbers;
  }
  if (value.kind() == Kind::real) return value.real();
  if (value.kind() != Kind::integer) return value.text();
  const std::int64_t number = value.integer();
  const bool narrow = number >= std::numeric_limits<std::int32_t>::min() &&
                      number <= std::numeric_limits<std::int32_t>::max();
  if (narrow) return static_cast<std::int32_t>(number);
  return number;
}

}  // namespace

config::Option format_option() {
  return {.name = "format",
          .type = config::choice(format_names(), {"zarr", "adios2"}),
          .says = "The format of the file; `memory` and `null` are for tests and measurements.",
          .example = "netcdf",
          .fallback = "netcdf"};
}

config::Option attributes_option(const std::string& says) {
  config::Type attributes =
      config::map("attribute", config::either({config::plain(), config::list(config::real(-1e308))}));
  attributes.complaint = [](const std::string& name) { return model::attribute_name_complaint(name); };
  return {
      .name = "attributes", .type = std::move(attributes), .says = says, .example = "{comment: first try}"};
}

Attributes attributes_of(const Value& section) {
  Attributes attributes;
  if (const Value* value = section.find("attributes"))
    for (const auto& entry : value->entries()) attributes.emplace_back(entry.key, attribute_of(entry.value));
  return attributes;
}

}  // namespace tailrace::output
