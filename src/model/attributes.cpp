#include "model/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/utf8.hpp"
#include "model/name.hpp"

namespace tailrace::model {
namespace {

struct Reserved {
  std::string_view name, why;
};

constexpr std::array reserved{
    Reserved{coordinates_attribute,
             "is written automatically, from the coordinates of the grid; further ones are declared with "
             "`coordinate`, or given as `coordinates` of the variable"},
    Reserved{"bounds", "is written automatically, if `bounds` are given with the values of a coordinate"},
    Reserved{"climatology", "names bounds of the time, which are written automatically"},
    Reserved{"grid_mapping", "is written automatically, from the `grid_mapping` of the grid"},
    Reserved{"cell_measures",
             "is written automatically, from the coordinates that are declared with a `measure`"},
    Reserved{"mesh", "is written automatically, from the `mesh` of the grid"},
    Reserved{"location", "is written automatically, from the `mesh` of the grid"},
    Reserved{"scale_factor",
             "would make readers change values that are stored as they are; `pack` of the "
             "variable stores them so"},
    Reserved{"add_offset",
             "would make readers change values that are stored as they are; `pack` of the "
             "variable stores them so"},
};

// An attribute whose type is that of the variable. `count`: how many numbers it has; 0: any.
struct OwnType {
  std::string_view name;
  std::size_t count;
};
constexpr std::array of_own_type{OwnType{"actual_range", 2}, OwnType{"flag_masks", 0},
                                 OwnType{"flag_values", 0},  OwnType{"missing_value", 1},
                                 OwnType{"valid_max", 1},    OwnType{"valid_min", 1},
                                 OwnType{"valid_range", 2}};

template <class Entry, std::size_t Size>
const Entry* find(const std::array<Entry, Size>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &*found;
}

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// Integer types hold whole numbers within their limits; real types also hold infinity and NaN.
template <class T, class Number>
bool fits(Number number) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (std::is_floating_point_v<Number>)
      return !std::isfinite(number) ||
             std::abs(static_cast<double>(number)) <= static_cast<double>(std::numeric_limits<T>::max());
    return true;
  } else if constexpr (std::is_floating_point_v<Number>) {
    const auto wide = static_cast<double>(number);
    return wide == std::floor(wide) && wide >= static_cast<double>(std::numeric_limits<T>::min()) &&
           wide < std::ldexp(1.0, std::numeric_limits<T>::digits);
  } else {
    return std::in_range<T>(number);
  }
}

template <class T, class Number>
std::optional<AttributeValue> converted(const std::vector<Number>& numbers) {
  std::vector<T> result;
  for (const Number number : numbers) {
    if (!fits<T>(number)) return std::nullopt;
    result.push_back(static_cast<T>(number));
  }
  return result;
}

std::string in_words(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return fmt::format("\"{}\"", base::quotable(*text));
  std::string words;
  for (const double number : numbers_of(value))
    words += fmt::format("{}{}", words.empty() ? "" : ", ", number);
  return words.empty() ? "none" : words;
}

std::size_t words_in(const std::string& text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
  return words;
}

std::optional<std::string> number_complaint(const OwnType& own, const AttributeValue& value, DataType type) {
  const std::size_t count = numbers_of(value).size();
  const std::string expected = own.count == 1   ? fmt::format("a number of type {}", name_of(type))
                               : own.count == 2 ? fmt::format("two numbers of type {}", name_of(type))
                                                : fmt::format("numbers of type {}", name_of(type));
  if (count > 0 && (own.count == 0 || own.count == count) && in_type(value, type)) return std::nullopt;
  return fmt::format("attribute \"{}\" must have the type of the variable; expected {}, but got {}", own.name,
                     expected, in_words(value));
}

// CF 3.5: as many words in flag_meanings as there are flag values.
std::optional<std::string> flags_complaint(const Attributes& attributes) {
  const std::size_t meanings = words_in(text_of(attributes, "flag_meanings"));
  if (meanings == 0) return std::nullopt;
  for (const char* name : {"flag_values", "flag_masks"}) {
    const auto found = attributes.find(name);
    if (found == attributes.end()) continue;
    const std::size_t count = numbers_of(found->second).size();
    if (count != meanings)
      return fmt::format(
          "attribute \"{}\" has {} numbers; expected as many words in \"flag_meanings\", "
          "but got {}",
          name, count, meanings);
  }
  return std::nullopt;
}

}  // namespace

std::string text_of(const Attributes& attributes, const std::string& name) {
  const auto found = attributes.find(name);
  const auto* text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? std::string() : *text;
}

std::vector<double> numbers_of(const AttributeValue& value) {
  return std::visit(
      [](const auto& held) -> std::vector<double> {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>)
          return {};
        else if constexpr (IsVector<Held>::value)
          return {held.begin(), held.end()};
        else
          return {static_cast<double>(held)};
      },
      value);
}

std::optional<std::string> variable_attribute_complaint(std::string_view name) {
  if (auto complaint = attribute_name_complaint(name)) return complaint;
  if (const Reserved* found = find(reserved, name)) return std::string(found->why);
  return std::nullopt;
}

std::optional<std::string> field_attribute_complaint(std::string_view name) {
  return name == coordinates_attribute ? std::nullopt : variable_attribute_complaint(name);
}

bool has_own_type(std::string_view name) { return find(of_own_type, name) != nullptr; }

std::optional<AttributeValue> in_type(const AttributeValue& value, DataType type) {
  return std::visit(
      [type](const auto& held) -> std::optional<AttributeValue> {
        using Held = std::remove_cvref_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          return std::nullopt;
        } else {
          return dispatch(type, [&](auto zero) {
            using T = decltype(zero);
            if constexpr (IsVector<Held>::value)
              return converted<T>(held);
            else
              return converted<T>(std::vector<Held>{held});
          });
        }
      },
      value);
}

std::optional<std::string> value_complaint(std::string_view name, const AttributeValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr && numbers_of(value).empty()) return fmt::format("attribute \"{}\" has no value", name);
  if (const std::size_t valid = text == nullptr ? 0 : base::valid_utf8(*text);
      text != nullptr && valid < text->size())
    return fmt::format("the value of attribute \"{}\" is not UTF-8 from byte {} on", name, valid + 1);
  if (text == nullptr && name == coordinates_attribute)
    return fmt::format("attribute \"{}\": expected the names of fields, but got a number", name);
  return std::nullopt;
}

std::optional<std::string> attributes_complaint(const Attributes& attributes, DataType type) {
  for (const auto& [name, value] : attributes) {
    if (auto complaint = value_complaint(name, value)) return complaint;
    if (const OwnType* own = find(of_own_type, name))
      if (auto complaint = number_complaint(*own, value, type)) return complaint;
  }
  return flags_complaint(attributes);
}

}  // namespace tailrace::model
