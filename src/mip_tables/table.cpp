#include "mip_tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "config/scalars.hpp"
#include "tailrace/error.hpp"

namespace tailrace::mip_tables {
namespace {

using Json = nlohmann::json;

config::Location place_of_byte(const std::string& file, const std::string& text, std::size_t byte) {
  const std::string_view before = std::string_view(text).substr(0, byte);
  const std::size_t line = before.rfind('\n') + 1;  // 0 where there is none
  return {file, 1 + static_cast<int>(std::ranges::count(before, '\n')), 1 + static_cast<int>(byte - line)};
}

Json parse(const std::string& file, const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : std::min(error.byte, text.size() + 1) - 1;
    throw Error(ErrorCode::configuration,
                fmt::format("{}  this is not JSON, as tables are", place_of_byte(file, text, byte).text()));
  }
}

const Json& part_of(const Json& json, const char* key, const std::string& file) {
  const auto found = json.find(key);
  if (!json.is_object() || found == json.end() || !found->is_object())
    throw Error(ErrorCode::configuration,
                fmt::format("{}  expected a table for CMOR, with \"{}\"", file, key));
  return *found;
}

// The text of a key; numbers are written as in JSON. Empty if there is none.
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// The words of a list, or of a text in which spaces separate them.
std::vector<std::string> words_of(const Json& json, const char* key) {
  std::vector<std::string> words;
  const auto found = json.find(key);
  if (found != json.end() && found->is_array()) {
    for (const Json& word : *found)
      if (word.is_string()) words.push_back(word.get<std::string>());
    return words;
  }
  std::istringstream text(text_of(json, key));
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

TableVariable variable_of(const Json& entry, const Json& header) {
  TableVariable variable;
  variable.out_name = text_of(entry, "out_name");
  variable.standard_name = text_of(entry, "standard_name");
  variable.long_name = text_of(entry, "long_name");
  variable.units = text_of(entry, "units");
  variable.cell_methods = text_of(entry, "cell_methods");
  variable.comment = text_of(entry, "comment");
  variable.positive = text_of(entry, "positive");
  variable.frequency = text_of(entry, "frequency");
  variable.type = text_of(entry, "type");
  if (variable.type.empty()) variable.type = text_of(header, "type");
  variable.dimensions = words_of(entry, "dimensions");
  variable.missing_value =
      config::parse_real(text_of(header, variable.type == "integer" ? "int_missing_value" : "missing_value"));
  return variable;
}

model::Coordinate coordinate_of(const Json& axis, double value) {
  model::Coordinate coordinate;
  coordinate.name = text_of(axis, "out_name");
  coordinate.values = {value};
  coordinate.units = text_of(axis, "units");
  coordinate.standard_name = text_of(axis, "standard_name");
  coordinate.long_name = text_of(axis, "long_name");
  for (const char* name : {"axis", "positive"})
    if (const std::string text = text_of(axis, name); !text.empty()) coordinate.attributes[name] = text;
  std::vector<double> bounds;
  for (const std::string& word : words_of(axis, "bounds_values"))
    if (const auto bound = config::parse_real(word)) bounds.push_back(*bound);
  if (bounds.size() == 2) coordinate.bounds = bounds;
  return coordinate;
}

}  // namespace

bool TableVariable::has_time() const {
  return std::ranges::any_of(dimensions, [](const std::string& dim) { return dim.starts_with("time"); });
}

config::Location place_of_key(const std::string& file, const std::string& text, const std::string& key) {
  const std::string quoted = nlohmann::json(key).dump();
  for (std::size_t at = text.find(quoted); at != std::string::npos; at = text.find(quoted, at + 1)) {
    std::size_t next = at + quoted.size();
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0) ++next;
    if (next < text.size() && text[next] == ':') return place_of_byte(file, text, at);
  }
  return {file, 0, 0};
}

Table table_from_json(const std::string& name, const std::string& file, const std::string& text) {
  const Json json = parse(file, text);
  const Json& header = part_of(json, "Header", file);
  Table table{.name = name, .file = file, .variables = {}};
  for (const auto& [key, entry] : part_of(json, "variable_entry", file).items()) {
    if (!entry.is_object()) continue;
    TableVariable variable = variable_of(entry, header);
    variable.table = name;
    variable.name = key;
    if (variable.out_name.empty()) variable.out_name = key;
    table.variables.emplace(key, std::move(variable));
  }
  return table;
}

ScalarCoordinates scalars_from_json(const std::string& file, const std::string& text) {
  const Json json = parse(file, text);
  ScalarCoordinates scalars;
  for (const auto& [key, axis] : part_of(json, "axis_entry", file).items()) {
    const std::string value = axis.is_object() ? text_of(axis, "value") : "";
    if (value.empty()) continue;
    const auto number = config::parse_real(value);
    scalars[key] = number ? std::optional(coordinate_of(axis, *number)) : std::nullopt;
  }
  return scalars;
}

}  // namespace tailrace::mip_tables
