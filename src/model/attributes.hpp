// Attributes of variables, as a model or a configuration gives them and as files hold them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/data_type.hpp"

namespace tailrace::model {

// The order travels in messages: do not renumber. tailrace::Attribute is the same type.
using AttributeValue =
    std::variant<std::string, double, float, std::int64_t, std::int32_t, std::vector<double>,
                 std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>, std::int16_t,
                 std::int8_t, std::uint8_t, std::vector<std::int16_t>, std::vector<std::int8_t>,
                 std::vector<std::uint8_t>>;
using Attributes = std::map<std::string, AttributeValue>;

// Empty where there is none of that name, or where it is a number.
std::string text_of(const Attributes& attributes, const std::string& name);
std::vector<double> numbers_of(const AttributeValue& value);  // empty of a text

// Why nobody gives an attribute of that name to a variable, if so: it is one of the file's own, or one by
// which CF ties variables together, and follows from something else that is given.
std::optional<std::string> variable_attribute_complaint(std::string_view name);

// Readers hold these against the values of the variable, so CF wants them in its type: valid_range,
// flag_values.
bool has_own_type(std::string_view name);
// The value in that type; nothing where it is a text, or has a number that the type cannot hold.
std::optional<AttributeValue> in_type(const AttributeValue& value, DataType type);

// What is wrong with the attributes of a variable of that type, if anything:
// `attribute "valid_min" ...; expected ..., but got ...`.
std::optional<std::string> attributes_complaint(const Attributes& attributes, DataType type);

}  // namespace tailrace::model
