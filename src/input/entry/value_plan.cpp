#include "input/entry/value_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "units/unit_system.hpp"

namespace tailrace::input {
namespace {

using model::DataType;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::configuration, why); }

// How many binary digits a value of the type may have.
int digits_of(const VariableHeader& variable, bool is_unsigned = false) {
  if (is_unsigned && model::is_integer(variable.type))
    return 8 * static_cast<int>(model::size_of(variable.type));
  if (variable.type_name == "ushort") return 16;
  if (variable.type_name == "uint") return 32;
  if (variable.type_name == "uint64") return 64;
  switch (variable.type) {
    case DataType::uint8: return 8;
    case DataType::int8: return 7;
    case DataType::int16: return 15;
    case DataType::int32: return 31;
    case DataType::int64: return 63;
    case DataType::float32: return 24;
    case DataType::float64: return 53;
  }
  return 64;
}

int digits_of(DataType type) {
  VariableHeader variable;
  variable.type = type;
  return digits_of(variable);
}

bool is_whole(const VariableHeader& variable) {
  return model::is_integer(variable.type) || variable.type_name == "uint64";
}

bool is_copy(const ValueRules& rules) {
  return rules.packing == model::Packing{} && rules.factor == 1.0 && rules.shift == 0.0;
}

bool is_interpolated(const FieldRequest& request) {
  return request.vertical || request.time.rule == TimeRule::linear ||
         request.time.rule == TimeRule::mean_preserving;
}

bool has_missing(const ValueRules& rules) {
  return !rules.missing.empty() || rules.valid_min > -std::numeric_limits<double>::infinity() ||
         rules.valid_max < std::numeric_limits<double>::infinity();
}

Linear in_model_units(const VariableHeader& variable, const FieldRequest& request, const std::string& to) {
  const std::string* const attribute = variable.text("units");
  const bool is_scaled = request.scale != 1.0 || request.offset != 0.0;
  const std::string from = !request.units.empty() ? request.units : attribute != nullptr ? *attribute : "";
  if (to.empty()) return {};
  if (is_scaled && request.units.empty() && !units::unit_system().conversion(from, to)) return {};
  if (from.empty() && !units::unit_system().is_dimensionless(to))
    refuse(
        fmt::format("the variable has no attribute units, and the model expects {}; expected `units` in the "
                    "configuration",
                    to));
  return conversion_of(from.empty() ? "1" : from, to);
}

// Why values of the model's type would hold less than the file's numbers; empty: they hold all.
std::string loss(const VariableHeader& variable, const FieldRequest& request, const ValueRules& rules,
                 DataType type, Regridded regridded) {
  if (model::is_integer(type)) {
    if (!is_whole(variable)) return "are real numbers";
    if (!is_copy(rules)) return "become real numbers when they are unpacked or converted";
    if (is_interpolated(request)) return "become real numbers when they are interpolated";
    if (regridded == Regridded::computed) return "become real numbers when they are regridded";
  }
  return digits_of(variable, rules.is_unsigned) > digits_of(type)
             ? fmt::format("have the type {}", variable.type_name)
             : "";
}

}  // namespace

Linear conversion_of(const std::string& from, const std::string& to) {
  if (to.empty() || from == to) return {};
  const auto found = units::unit_system().conversion(from, to);
  if (found) return {found->scale, found->offset};
  for (const std::string& one : {from, to})
    if (!units::unit_system().knows(one))
      refuse(fmt::format("the units \"{}\" are not known to UDUNITS, so \"{}\" cannot be converted to \"{}\"",
                         one, from, to));
  refuse(fmt::format("the units \"{}\" cannot be converted to \"{}\", which the model expects", from, to));
}

ValuePlan plan_values(const VariableHeader& variable, const FieldRequest& request, const model::Field& field,
                      Regridded regridded) {
  ValuePlan plan{rules_of(variable), false};
  ValueRules& rules = plan.rules;
  const Linear units = in_model_units(variable, request, field.units);
  rules.factor = request.scale * units.scale;
  rules.shift = request.offset * units.scale + units.offset;

  const std::string lost = loss(variable, request, rules, field.type, regridded);
  if (!lost.empty() && !request.may_lose_bits)
    refuse(fmt::format("the values {}, which {}, the model's type, cannot hold; expected `narrow: true`",
                       lost, model::name_of(field.type)));
  if (model::is_integer(field.type)) {
    // float64 cannot hold the default fill value of int64, and no program writes it without the attribute.
    const bool is_long = variable.type == DataType::int64 && variable.type_name == "int64";
    if (is_long && !variable.attributes.contains("_FillValue") &&
        !variable.attributes.contains("missing_value"))
      rules.missing.clear();
    const bool may_be_missing = has_missing(rules) || regridded != Regridded::no;
    plan.fits_model = lost.empty() && !may_be_missing && !rules.is_unsigned;
    if (is_long && !plan.fits_model && !request.may_lose_bits)
      refuse(
          "values of int64 that may be missing travel as float64, which cannot hold them all; expected "
          "`narrow: true`");
  } else {
    const bool are_copies = is_copy(rules) && regridded != Regridded::computed;
    plan.fits_model = lost.empty() && (are_copies || !is_interpolated(request));
    plan.fits_float32 = field.type == DataType::float64 && are_copies &&
                        digits_of(variable, rules.is_unsigned) <= digits_of(DataType::float32);
  }
  return plan;
}

}  // namespace tailrace::input
