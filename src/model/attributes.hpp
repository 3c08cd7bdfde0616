// Attributes of variables, as a model or a configuration gives them and as files store them.
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

// The order is part of messages: do not change it. tailrace::Attribute is the same type.
using AttributeValue =
    std::variant<std::string, double, float, std::int64_t, std::int32_t, std::vector<double>,
                 std::vector<float>, std::vector<std::int64_t>, std::vector<std::int32_t>, std::int16_t,
                 std::int8_t, std::uint8_t, std::vector<std::int16_t>, std::vector<std::int8_t>,
                 std::vector<std::uint8_t>>;
using Attributes = std::map<std::string, AttributeValue>;

inline constexpr const char* coordinates_attribute = "coordinates";

// Empty if there is no attribute of that name, or if it is a number.
std::string text_of(const Attributes& attributes, const std::string& name);
std::vector<double> numbers_of(const AttributeValue& value);  // empty if it is text

// Why a user or a model cannot give an attribute of that name to a variable, if so: the format or CF's links
// between variables use it, and Tailrace writes it from other declarations.
std::optional<std::string> variable_attribute_complaint(std::string_view name);
// The same for a field of the model, which may give `coordinates`: the names of fields that are coordinates
// of it, such as those of a grid that moves.
std::optional<std::string> field_attribute_complaint(std::string_view name);

// Whether CF requires the attribute to have the type of its variable, since readers compare it with the
// values: valid_range, flag_values.
bool has_own_type(std::string_view name);
// The value in that type; nothing if it is text, or if the type cannot hold one of its numbers.
std::optional<AttributeValue> in_type(const AttributeValue& value, DataType type);

// Returns what is wrong with one value, whatever it is an attribute of: text that is not UTF-8, or no number.
std::optional<std::string> value_complaint(std::string_view name, const AttributeValue& value);

// Returns what is wrong with the attributes of a variable of that type, if anything:
// `attribute "valid_min" ...; expected ..., but got ...`.
std::optional<std::string> attributes_complaint(const Attributes& attributes, DataType type);

}  // namespace tailrace::model
