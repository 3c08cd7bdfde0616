#include "settings/tables/mip_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "config/scalars.hpp"
#include "settings/tables/table_place.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings {
namespace {

using Json = nlohmann::json;

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

// The text of a key; numbers as they are written. Empty where there is none.
std::string text_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// A list, or one text with spaces between them.
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

MipVariable variable_of(const Json& entry, const Json& header) {
  MipVariable variable;
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

bool MipVariable::has_time() const {
  return std::ranges::any_of(dimensions, [](const std::string& dim) { return dim.starts_with("time"); });
}

MipTable mip_table_from_json(const std::string& name, const std::string& file, const std::string& text) {
  const Json json = parse(file, text);
  const Json& header = part_of(json, "Header", file);
  MipTable table{.name = name, .file = file, .variables = {}};
  for (const auto& [key, entry] : part_of(json, "variable_entry", file).items()) {
    if (!entry.is_object()) continue;
    MipVariable variable = variable_of(entry, header);
    variable.table = name;
    variable.name = key;
    if (variable.out_name.empty()) variable.out_name = key;
    table.variables.emplace(key, std::move(variable));
  }
  return table;
}

MipScalars mip_scalars_from_json(const std::string& file, const std::string& text) {
  const Json json = parse(file, text);
  MipScalars scalars;
  for (const auto& [key, axis] : part_of(json, "axis_entry", file).items()) {
    const std::string value = axis.is_object() ? text_of(axis, "value") : "";
    if (value.empty()) continue;
    const auto number = config::parse_real(value);
    scalars[key] = number ? std::optional(coordinate_of(axis, *number)) : std::nullopt;
  }
  return scalars;
}

}  // namespace tailrace::settings
