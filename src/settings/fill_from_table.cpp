#include "settings/fill_from_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "mip_tables/time_method.hpp"

namespace tailrace::settings {
namespace {

using config::Location;

struct NamedType {
  std::string_view name;
  model::DataType type;
};
constexpr std::array types{NamedType{"real", model::DataType::float32},
                           NamedType{"double", model::DataType::float64},
                           NamedType{"integer", model::DataType::int32}};

// Decides by the name: a known word with a number.
bool looks_scalar(const std::string& dimension) {
  static constexpr std::array<std::string_view, 4> beginnings{"height", "depth", "sdepth", "lambda"};
  const std::size_t digits = dimension.find_first_of("0123456789");
  if (digits == std::string::npos || digits == 0) return dimension.starts_with("type");
  const std::string word = dimension.substr(0, digits);
  return word == "p" || word == "type" || std::ranges::count(beginnings, word) > 0;
}

std::string option_text(const time::Period& every, time::Cycle cycle) {
  if (every.is_never()) return "every: once";
  if (cycle != time::Cycle::none) return "each: month";
  const std::string length = every.length();  // "month" for 1 month
  return fmt::format("every: {}{}", std::isdigit(static_cast<unsigned char>(length.front())) != 0 ? "" : "1 ",
                     length);
}

class Filling {
 public:
  Filling(VariableEntry& variable, config::Problems& problems)
      : variable_(variable), asked_(*variable.cmip), table_(*asked_.is), problems_(problems) {}

  void fill(const mip_tables::ScalarCoordinates* scalars) {
    if (variable_.name.empty()) variable_.name = table_.out_name;
    fill_operation();
    fill_period();
    fill_type();
    fill_attributes();
    fill_dimensions(scalars);
  }

 private:
  // Names both places, since either the option or the choice of the table's variable may be wrong.
  void refuse(const Location& where, const char* option, const std::string& why) {
    problems_.add(where.line > 0 ? where : asked_.location, variable_.config_path + "." + option,
                  fmt::format("{} ({}) {}", table_.title(), table_.location.text(), why));
  }

  void fill_operation() {
    method_ = mip_tables::time_method_of(table_.cell_methods);
    if (!method_.unsupported.empty())
      return refuse({}, "cmip",
                    fmt::format("is made by \"{}\", which no `operation` gives", method_.unsupported));
    if (!method_.operation) return;
    const time::ReductionKind wanted = *method_.operation;
    if (asked_.operation.line > 0 && variable_.reduction != wanted)
      refuse(asked_.operation, "operation",
             fmt::format("has cell_methods \"{}\": expected `{}`, but got {}", table_.cell_methods,
                         time::name_of(wanted), time::name_of(variable_.reduction)));
    variable_.reduction = wanted;
  }

  void fill_period() {
    if (!table_.has_time()) return fill_fixed();
    mip_tables::TableFrequency wanted = mip_tables::frequency_of(table_.frequency);
    if (wanted.cycle == time::Cycle::day || method_.cycle == time::Cycle::day)
      return refuse({}, "cmip",
                    "is a diurnal cycle of each month; `each: hour of day` makes one of the whole run, and "
                    "this is not available yet in this version");
    if (method_.cycle != time::Cycle::none) wanted.cycle = method_.cycle;
    if (!wanted.every) return expect_a_period();
    const bool same = variable_.every == *wanted.every && variable_.cycle == wanted.cycle;
    if (asked_.every.line > 0 && !same) refuse_period(*wanted.every, wanted.cycle);
    if (same && asked_.every.line > 0) return;
    variable_.every = *wanted.every;
    variable_.cycle = wanted.cycle;
    variable_.every_location = asked_.location;
  }

  void refuse_period(const time::Period& every, time::Cycle cycle) {
    refuse(asked_.every, variable_.cycle == time::Cycle::none ? "every" : "each",
           fmt::format("has the frequency \"{}\": expected `{}`, but got `{}`", table_.frequency,
                       option_text(every, cycle), option_text(variable_.every, variable_.cycle)));
  }

  void fill_fixed() {
    if (asked_.every.line > 0 && !variable_.every.is_never())
      refuse_period(time::Period::never(), time::Cycle::none);
    variable_.every = time::Period::never();
    variable_.every_location = asked_.location;
  }

  // In tables of CMIP7 the request decides how often a variable is written.
  void expect_a_period() {
    if (variable_.every_location.line > 0) return;
    refuse({}, "cmip",
           fmt::format("has {}: expected `every` as well",
                       table_.frequency.empty() ? "no frequency"
                                                : fmt::format("the frequency \"{}\"", table_.frequency)));
  }

  void fill_type() {
    const auto* type = std::ranges::find(types, std::string_view(table_.type), &NamedType::name);
    if (type == types.end()) return;
    const std::string_view wanted = model::name_of(type->type);
    if (asked_.pack.line > 0)
      refuse(asked_.pack, "pack", fmt::format("has the type {}, which is not packed", table_.type));
    if (asked_.type.line > 0 && variable_.type != type->type)
      refuse(asked_.type, "type",
             fmt::format("has the type {}: expected {}, but got {}", table_.type, wanted,
                         model::name_of(*variable_.type)));
    variable_.pack.reset();
    variable_.type = type->type;
    if (!table_.missing_value) return;
    const bool narrow = type->type == model::DataType::float32;
    variable_.fill_value =
        narrow ? static_cast<double>(static_cast<float>(*table_.missing_value)) : *table_.missing_value;
    fixed("missing_value", *variable_.fill_value);
  }

  void fill_attributes() {
    fixed("standard_name", table_.standard_name);
    fixed("units", table_.units);
    fixed("positive", table_.positive);
    fixed("cell_methods", table_.cell_methods);
    free("long_name", table_.long_name);
    free("comment", table_.comment);
  }

  const output::AttributeValue* given(std::string_view name) const {
    const auto found = std::ranges::find(variable_.attributes, name, &output::Attributes::value_type::first);
    return found == variable_.attributes.end() ? nullptr : &found->second;
  }

  // The user may give another value.
  void free(const char* name, const std::string& value) {
    if (!value.empty() && given(name) == nullptr) variable_.attributes.emplace_back(name, value);
  }

  // The user may not give another value.
  void fixed(const char* name, const std::string& value) {
    if (value.empty()) return;
    const output::AttributeValue* own = given(name);
    if (own == nullptr) return free(name, value);
    const auto* text = std::get_if<std::string>(own);
    if (text == nullptr || *text != value)
      refuse(asked_.attributes, fmt::format("attributes.{}", name).c_str(),
             fmt::format("has \"{}\", but got {}", value,
                         text == nullptr ? "a number" : fmt::format("\"{}\"", *text)));
  }

  void fixed(const char* name, double value) {
    if (const output::AttributeValue* own = given(name)) {
      const std::vector<double> numbers = model::numbers_of(*own);
      const bool same = numbers.size() == 1 && static_cast<float>(numbers[0]) == static_cast<float>(value);
      if (!same)
        refuse(asked_.attributes, fmt::format("attributes.{}", name).c_str(),
               fmt::format("has {}, but got another one", static_cast<float>(value)));
      return;
    }
    variable_.attributes.emplace_back(name, value);
  }

  void fill_dimensions(const mip_tables::ScalarCoordinates* scalars) {
    mip_tables::Request& request = *variable_.cmip;
    request.knows_scalars = scalars != nullptr;
    for (const std::string& dim : table_.dimensions) {
      if (dim.starts_with("time")) continue;
      const bool is_scalar = scalars != nullptr ? scalars->contains(dim) : looks_scalar(dim);
      if (!is_scalar) ++request.cells;
      if (scalars == nullptr || !is_scalar || !scalars->at(dim)) continue;
      const model::Coordinate& coordinate = *scalars->at(dim);
      if (std::ranges::count(variable_.coordinates, coordinate.name, &model::Coordinate::name) == 0)
        request.scalars.push_back(coordinate);
    }
  }

  VariableEntry& variable_;
  const mip_tables::Request& asked_;
  const mip_tables::TableVariable& table_;
  config::Problems& problems_;
  mip_tables::TimeMethod method_;
};

}  // namespace

void fill_from_table(VariableEntry& variable, const mip_tables::ScalarCoordinates* scalars,
                     config::Problems& problems) {
  Filling(variable, problems).fill(scalars);
}

}  // namespace tailrace::settings
