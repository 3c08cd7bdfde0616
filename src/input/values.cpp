#include "input/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "input/number_rule.hpp"

namespace tailrace::input {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::vector<double> numbers_of(const VariableHeader& variable, const char* attribute, std::size_t most) {
  const auto found = variable.attributes.find(attribute);
  if (found == variable.attributes.end()) return {};
  const auto* numbers = std::get_if<std::vector<double>>(&found->second);
  if (numbers == nullptr || numbers->empty() || numbers->size() > most)
    refuse(fmt::format("the attribute {} of {} is not a number", attribute, variable.name));
  return *numbers;
}

double number_of(const VariableHeader& variable, const char* attribute, double otherwise) {
  const auto numbers = numbers_of(variable, attribute, 1);
  return numbers.empty() ? otherwise : numbers.front();
}

}  // namespace

ValueRules rules_of(const VariableHeader& variable) {
  constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  ValueRules rules;
  rules.packing = {number_of(variable, "scale_factor", 1.0), number_of(variable, "add_offset", 0.0)};
  rules.missing = numbers_of(variable, "missing_value", any);
  const bool has_eight_bits = model::size_of(variable.type) == 1;
  if (variable.attributes.contains("_FillValue"))
    rules.missing.push_back(number_of(variable, "_FillValue", 0.0));
  else if (!has_eight_bits)
    rules.missing.push_back(model::default_fill(variable.type).number);
  const auto range = numbers_of(variable, "valid_range", 2);
  if (range.size() == 2) {
    rules.valid_min = range[0];
    rules.valid_max = range[1];
  }
  rules.valid_min = number_of(variable, "valid_min", rules.valid_min);
  rules.valid_max = number_of(variable, "valid_max", rules.valid_max);
  const std::string* is_unsigned = variable.text("_Unsigned");
  rules.is_unsigned = is_unsigned != nullptr && (*is_unsigned == "true" || *is_unsigned == "True");
  if (rules.is_unsigned)  // these attributes have the signed type too
    for (double& one : rules.missing)
      if (one < 0.0) one += std::ldexp(1.0, static_cast<int>(8 * model::size_of(variable.type)));
  std::erase_if(rules.missing, [](double one) { return std::isnan(one); });  // every NaN is missing
  if (variable.type == model::DataType::float32)                             // files give 1e20 in either type
    for (double& one : rules.missing) one = static_cast<double>(static_cast<float>(one));
  return rules;
}

void unpack(std::span<const std::byte> raw, model::DataType type, const ValueRules& rules,
            std::span<double> values) {
  TAILRACE_ASSERT(raw.size() == values.size() * model::size_of(type), "a number for each value");
  model::dispatch(type, [&]<class T>(T) {
    with_number_rule<T, double>(rules, [&](const auto& rule) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        T stored;
        std::memcpy(&stored, raw.data() + i * sizeof(T), sizeof(T));
        values[i] = rule(stored);
      }
    });
  });
}

void convert(std::span<const double> values, const MissingOption& missing, model::DataType type,
             std::span<std::byte> result) {
  TAILRACE_ASSERT(result.size() == values.size() * model::size_of(type), "room for each value");
  model::dispatch(type, [&]<class T>(T) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool is_missing = std::isnan(values[i]);
      if (is_missing && missing.kind == MissingOption::Kind::refuse)
        refuse(
            fmt::format("the value of cell {} (counted from 0) is missing; expected `missing: <value>` or "
                        "`missing: keep`",
                        i));
      const double value = is_missing ? missing.value : values[i];
      const bool overflows = std::is_same_v<T, float> && std::isfinite(value) &&
                             std::abs(value) > static_cast<double>(std::numeric_limits<float>::max());
      if (overflows || !model::can_hold(type, value))
        refuse(fmt::format("the value {} of cell {} (counted from 0) does not fit the model's type, {}",
                           value, i, model::name_of(type)));
      const T stored = static_cast<T>(value);
      std::memcpy(result.data() + i * sizeof(T), &stored, sizeof(T));
    }
  });
}

}  // namespace tailrace::input
