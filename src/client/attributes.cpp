#include "client/attributes.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "model/name.hpp"

namespace tailrace::client {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

}  // namespace

void check_attributes(const std::string& owner, const model::Attributes& attributes, model::DataType type,
                      NameComplaint name_complaint) {
  for (const auto& [name, value] : attributes)
    if (const auto complaint = name_complaint(name))
      refuse(fmt::format("{}: attribute \"{}\" {}", owner, base::quotable(name), *complaint));
  if (const auto complaint = model::attributes_complaint(attributes, type))
    refuse(fmt::format("{}: {}", owner, *complaint));
}

void check_field_attributes(const model::Field& field) {
  check_attributes(fmt::format("field \"{}\"", field.name), field.attributes, field.type,
                   &model::field_attribute_complaint);
}

void set_attribute(model::Declarations& declarations, const std::string& field_name, const std::string& name,
                   const model::AttributeValue& value) {
  if (field_name.empty()) {
    if (const auto complaint = model::attribute_name_complaint(name))
      refuse(fmt::format("attribute \"{}\" {}", base::quotable(name), *complaint));
    if (const auto complaint = model::value_complaint(name, value)) refuse(*complaint);
    declarations.attributes[name] = value;
    return;
  }
  const auto found = declarations.find_field(field_name);
  if (!found)
    refuse(fmt::format("attribute \"{}\": field \"{}\" was not declared.{}", base::quotable(name), field_name,
                       base::name_hint(field_name, declarations.field_names())));
  model::Field& field = declarations.fields[base::index(*found)];
  if (!field.is_put())
    refuse(fmt::format("attribute \"{}\": \"{}\" is an input; expected a field that the model puts",
                       base::quotable(name), field_name));
  model::Field changed = field;
  changed.attributes[name] = value;
  check_field_attributes(changed);
  field = std::move(changed);
}

}  // namespace tailrace::client
