#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "config/documents/documents.hpp"
#include "config/documents/repeated.hpp"

namespace tailrace::config::documents {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Type& type, const std::string& at);  // `at`: its place, as a JSON pointer

// Any scalar may be a `{name}` that the model fills in.
Json or_placeholder(Json json) { return {{"anyOf", {std::move(json), {{"$ref", "#/$defs/placeholder"}}}}}; }

Json number_json(const Type& type, const char* name) {
  Json json{{"type", name}};
  if (std::isfinite(type.lowest)) json["minimum"] = type.lowest;
  if (std::isfinite(type.highest) && type.highest < 0x1p53) json["maximum"] = type.highest;
  if (type.names.empty()) return or_placeholder(std::move(json));
  return or_placeholder({{"anyOf", {std::move(json), {{"enum", type.names}}}}});
}

// An editor takes words that YAML reads as true or false for booleans, not text.
Json choice_json(const Type& type) {
  Json words = type.names;
  for (const auto& [word, now] : type.former) {
    const bool is_flag = word == "true" || word == "false";
    words.push_back(is_flag ? Json(word == "true") : Json(word));
  }
  return or_placeholder({{"enum", std::move(words)}});
}

Json section_json(const Type& type, const std::string& at) {
  if (type.unchecked) return {{"type", {"object", "null"}}};
  Json properties = Json::object();
  Json required = Json::array();
  for (const Option& option : type.options) {
    Json json = repeats(option.type, type)
                    ? Json{{"type", "array"}, {"items", {{"$ref", at}}}, {"minItems", option.type.fewest}}
                    : json_of(option.type, at + "/properties/" + option.name);
    json["description"] = option.description + (option.available ? "" : " Not available yet.");
    if (option.required && !option.inherited && option.deprecated_names.empty() && option.aliases.empty())
      required.push_back(option.name);
    for (const std::string& other : option.aliases) properties[other] = json;
    for (const std::string& former : option.deprecated_names) {
      properties[former] = json;
      properties[former]["description"] = "Now `" + option.name + "`.";
      properties[former]["deprecated"] = true;
    }
    properties[option.name] = std::move(json);
  }
  Json json{
      {"type", {"object", "null"}}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) json["required"] = std::move(required);
  return json;
}

Json either_json(const Type& type, const std::string& at) {
  Json parts = Json::array();
  for (const Type& part : type.parts)
    parts.push_back(json_of(part, at + "/anyOf/" + std::to_string(parts.size())));
  return {{"anyOf", std::move(parts)}};
}

Json json_of(const Type& type, const std::string& at) {
  switch (type.kind) {
    case Kind::text: return {{"type", {"string", "number"}}};
    case Kind::flag: return or_placeholder({{"type", "boolean"}});
    case Kind::integer: return number_json(type, "integer");
    case Kind::real: return number_json(type, "number");
    case Kind::size:
      return or_placeholder({{"type", "string"}, {"pattern", "^[0-9.]+ *([kMGT]|[KMGT]i)?B$"}});
    case Kind::checked: return {{"type", {"string", "number"}}};
    case Kind::choice: return choice_json(type);
    case Kind::plain: return {{"type", {"string", "number", "boolean"}}};
    case Kind::list:
      return {{"type", "array"},
              {"items", json_of(type.parts.front(), at + "/items")},
              {"minItems", type.fewest}};
    case Kind::map:
      return {{"type", {"object", "null"}},
              {"additionalProperties", json_of(type.parts.front(), at + "/additionalProperties")}};
    case Kind::section: return section_json(type, at);
    case Kind::either: break;
  }
  return either_json(type, at);
}

}  // namespace

std::string json_schema(const Type& root, const std::string& title) {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  json.update(section_json(root, "#"));
  json["$defs"]["placeholder"] = {{"type", "string"}, {"pattern", "\\{[A-Za-z_][A-Za-z0-9_]*\\}"}};
  return json.dump(1) + "\n";
}

}  // namespace tailrace::config::documents
