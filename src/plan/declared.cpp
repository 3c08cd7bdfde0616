#include "plan/declared.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* schema = "tailrace-declared";
constexpr int version = 1;
constexpr const char* kinds[] = {"replicated", "block", "indexed", "partial"};  // by model::GridKind
constexpr const char* elements[] = {"face", "edge", "node"};                    // by model::MeshElement

// Texts are plain; numbers are written with their type, which JSON lacks.
Json to_json(const model::Attributes& attributes) {
  Json json = Json::object();
  for (const auto& [name, value] : attributes)
    std::visit(
        [&, &key = name](const auto& held) {
          using Held = std::remove_cvref_t<decltype(held)>;
          if constexpr (std::is_same_v<Held, std::string>)
            json[key] = held;
          else if constexpr (std::is_arithmetic_v<Held>)
            json[key] = Json{{"type", model::name_of(model::data_type_of<Held>())}, {"value", held}};
          else
            json[key] = Json{{"type", model::name_of(model::data_type_of<typename Held::value_type>())},
                             {"values", held}};
        },
        value);
  return json;
}

// JSON has no NaN, and a reader may take a real for a whole number that int64 alone holds.
Json fill_to_json(const model::FillValue& fill, model::DataType type) {
  if (type == model::DataType::int64) return fill.whole;
  return std::isnan(fill.number) ? Json("nan") : Json(fill.number);
}

model::FillValue fill_from(const Json& json) {
  if (json.is_number_integer()) return model::FillValue::of_whole(json.get<std::int64_t>());
  return json.is_number() ? json.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

Json to_json(const model::Coordinate& coordinate) {
  Json json{{"name", coordinate.name},           {"dims", coordinate.dims},
            {"units", coordinate.units},         {"standard_name", coordinate.standard_name},
            {"long_name", coordinate.long_name}, {"attributes", to_json(coordinate.attributes)}};
  if (coordinate.field) json["field"] = *coordinate.field;
  if (!coordinate.field || !coordinate.values.empty()) json["values"] = coordinate.values;
  if (coordinate.dims.size() == 1 && !coordinate.bounds.empty()) json["bounds"] = coordinate.bounds;
  if (coordinate.bounds_field) json["bounds_field"] = *coordinate.bounds_field;
  if (!coordinate.measure.empty()) json["measure"] = coordinate.measure;
  if (coordinate.digest != 0) json["digest"] = coordinate.digest;
  return json;
}

Json to_json(const model::Mesh& mesh) {
  return {{"name", mesh.name},
          {"nodes", mesh.nodes},
          {"node_x_field", mesh.node_x_field},
          {"node_y_field", mesh.node_y_field},
          {"node_units", mesh.node_units},
          {"in_parts", mesh.in_parts},
          {"nodes_digest", mesh.nodes_digest},
          {"nodes_per_face", mesh.nodes_per_face},
          {"connectivity_field", mesh.connectivity_field}};
}

Json to_json(const model::MeshPlace& place) {
  return {{"grid", place.grid},
          {"element", elements[static_cast<int>(place.element)]},
          {"connectivity_field", place.connectivity_field}};
}

Json to_json(const model::Grid& grid, const model::Regions& regions, std::size_t ranks) {
  Json json{{"name", grid.name},
            {"kind", kinds[static_cast<int>(grid.kind)]},
            {"dims", grid.dims},
            {"shape", grid.shape}};
  if (grid.kind == model::GridKind::indexed) json["indexed_dim"] = grid.indexed_dim;
  json["ranks"] = Json::array();
  for (std::size_t r = 0; r < ranks; ++r) {
    const model::Region& region = regions[r];
    Json rank{{"count", region.counts()}};
    if (grid.kind == model::GridKind::block) rank["offset"] = region.bounds().offset;
    json["ranks"].push_back(std::move(rank));
  }
  json["coordinates"] = Json::array();
  for (const model::Coordinate& coordinate : grid.coordinates)
    json["coordinates"].push_back(to_json(coordinate));
  if (grid.mesh) json["mesh"] = to_json(*grid.mesh);
  if (grid.place) json["place"] = to_json(*grid.place);
  if (grid.mapping)
    json["grid_mapping"] = {{"name", grid.mapping->name}, {"attributes", to_json(grid.mapping->attributes)}};
  return json;
}

Json to_json(const model::Field& field, const std::vector<model::Grid>& grids) {
  Json json{{"name", field.name},
            {"grid", grids[base::index(field.grid)].name},
            {"type", model::name_of(field.type)},
            {"units", field.units},
            {"standard_name", field.standard_name},
            {"long_name", field.long_name},
            {"attributes", to_json(field.attributes)}};
  if (field.fill_value) json["fill_value"] = fill_to_json(*field.fill_value, field.type);
  for (const model::Coordinate& coordinate : field.coordinates)
    json["coordinates"].push_back(to_json(coordinate));
  if (field.is_static) json["static"] = true;
  if (field.is_input) json["input"] = true;
  if (field.is_optional) json["optional"] = true;
  return json;
}

model::DataType type_of(const std::string& name) {
  using enum model::DataType;
  for (const model::DataType type : {float32, float64, int32, int64})
    if (name == model::name_of(type)) return type;
  throw std::invalid_argument(fmt::format("\"{}\" is not a type of fields", name));
}

model::Attributes attributes_of(const Json& owner) {
  model::Attributes attributes;
  const Json given = owner.value("attributes", Json::object());
  for (const auto& [name, value] : given.items()) {
    if (value.is_string()) {
      attributes[name] = value.get<std::string>();
      continue;
    }
    model::dispatch(type_of(value.at("type")), [&, &key = name, &of = value](auto zero) {
      using T = decltype(zero);
      if (of.contains("value"))
        attributes[key] = of.at("value").template get<T>();
      else
        attributes[key] = of.at("values").template get<std::vector<T>>();
    });
  }
  return attributes;
}

// JSON has no word for what is not finite.
std::vector<double> doubles_of(const Json& json) {
  std::vector<double> values;
  for (const Json& value : json)
    values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>());
  return values;
}

model::Coordinate coordinate_of(const Json& json) {
  model::Coordinate coordinate;
  coordinate.name = json.at("name");
  coordinate.dims = json.at("dims");
  coordinate.units = json.value("units", "");
  coordinate.standard_name = json.value("standard_name", "");
  coordinate.long_name = json.value("long_name", "");
  coordinate.attributes = attributes_of(json);
  if (json.contains("field")) coordinate.field = json.at("field").get<int>();
  if (!json.contains("field") || json.contains("values")) coordinate.values = doubles_of(json.at("values"));
  coordinate.bounds = doubles_of(json.value("bounds", Json::array()));
  if (json.contains("bounds_field")) coordinate.bounds_field = json.at("bounds_field").get<int>();
  coordinate.measure = json.value("measure", coordinate.measure);
  coordinate.digest = json.value("digest", coordinate.digest);
  return coordinate;
}

// The one of an enumeration whose names these are.
template <class Enum, std::size_t count>
Enum named(const char* const (&names)[count], const std::string& name, const char* what) {
  for (std::size_t i = 0; i < count; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  throw std::invalid_argument(fmt::format("\"{}\" is not a kind of {}", name, what));
}

model::Mesh mesh_of(const Json& json) {
  return {.name = json.at("name"),
          .nodes = json.at("nodes"),
          .node_x_field = json.at("node_x_field"),
          .node_y_field = json.at("node_y_field"),
          .node_units = json.at("node_units"),
          .in_parts = json.at("in_parts"),
          .nodes_digest = json.at("nodes_digest"),
          .nodes_per_face = json.at("nodes_per_face"),
          .connectivity_field = json.at("connectivity_field")};
}

model::Grid grid_of(const Json& json) {
  model::Grid grid;
  grid.name = json.at("name");
  grid.kind = named<model::GridKind>(kinds, json.at("kind"), "grid");
  grid.dims = json.at("dims");
  grid.shape = json.at("shape").get<std::vector<std::int64_t>>();
  if (grid.shape.size() != grid.dims.size())
    throw std::invalid_argument(fmt::format("grid \"{}\" has {} dims, but {} extents", grid.name,
                                            grid.dims.size(), grid.shape.size()));
  grid.indexed_dim = json.value("indexed_dim", "");
  for (const Json& coordinate : json.value("coordinates", Json::array()))
    grid.coordinates.push_back(coordinate_of(coordinate));
  if (json.contains("mesh")) grid.mesh = mesh_of(json.at("mesh"));
  if (const auto place = json.find("place"); place != json.end())
    grid.place = {.grid = place->at("grid"),
                  .element = named<model::MeshElement>(elements, place->at("element"), "mesh element"),
                  .connectivity_field = place->at("connectivity_field")};
  if (const auto mapping = json.find("grid_mapping"); mapping != json.end())
    grid.mapping = {.name = mapping->at("name"), .attributes = attributes_of(*mapping)};
  return grid;
}

// The cells of an indexed grid are assigned to the ranks in order.
model::Regions regions_of(const Json& json, const model::Grid& grid) {
  model::Regions regions;
  std::vector<std::int64_t> next(grid.dims.size(), 0);
  for (const Json& rank : json.at("ranks")) {
    model::Box box{next, rank.at("count").get<std::vector<std::int64_t>>()};
    if (grid.kind == model::GridKind::block) box.offset = rank.at("offset").get<std::vector<std::int64_t>>();
    if (box.count.size() != grid.dims.size() || box.offset.size() != grid.dims.size())
      throw std::invalid_argument(
          fmt::format("grid \"{}\": the part of a rank has different dims", grid.name));
    for (std::size_t d = 0; d < grid.dims.size(); ++d)
      if (grid.dims[d] == grid.indexed_dim) next[d] += box.count[d];
    regions.push_back(model::Region::of_box(box));
  }
  return regions;
}

model::Field field_of(const Json& json, const model::Declarations& declarations) {
  model::Field field;
  field.name = json.at("name");
  const std::string on = json.at("grid");
  const auto grid = declarations.find_grid(on);
  if (!grid)
    throw std::invalid_argument(
        fmt::format("field \"{}\" is on the grid \"{}\", which does not exist", field.name, on));
  field.grid = *grid;
  field.type = type_of(json.at("type"));
  field.units = json.value("units", "");
  field.standard_name = json.value("standard_name", "");
  field.long_name = json.value("long_name", "");
  field.attributes = attributes_of(json);
  if (const auto fill = json.find("fill_value"); fill != json.end())  // JSON has no NaN
    field.fill_value = fill_from(*fill);
  for (const Json& coordinate : json.value("coordinates", Json::array()))
    field.coordinates.push_back(coordinate_of(coordinate));
  field.is_static = json.value("static", false);
  field.is_input = json.value("input", false);
  field.is_optional = json.value("optional", false);
  return field;
}

}  // namespace

std::string to_json(const Declared& declared) {
  const model::Declarations& declarations = declared.declarations;
  Json json{{"schema", schema},
            {"version", version},
            {"component", declarations.component},
            {"options", declarations.options},
            {"attributes", to_json(declarations.attributes)},
            {"text", declared.text},
            {"grids", Json::array()},
            {"fields", Json::array()}};
  for (std::size_t g = 0; g < declarations.grids.size(); ++g)
    json["grids"].push_back(
        to_json(declarations.grids[g], declared.decomposition.regions[g], declared.decomposition.ranks()));
  for (const model::Field& field : declarations.fields)
    json["fields"].push_back(to_json(field, declarations.grids));
  return json.dump(1) + "\n";
}

Declared declared_from_json(const std::string& text, const std::string& name) {
  try {
    const Json json = Json::parse(text);
    if (json.value("schema", "") != schema || json.value("version", 0) != version)
      throw std::invalid_argument(fmt::format(
          "it does not contain the declarations of a model (schema {}, version {})", schema, version));
    Declared declared;
    declared.declarations.component = json.at("component");
    declared.declarations.options = json.at("options").get<std::map<std::string, std::string>>();
    declared.declarations.attributes = attributes_of(json);
    declared.text = json.value("text", "");
    for (const Json& grid : json.at("grids")) {
      declared.declarations.grids.push_back(grid_of(grid));
      declared.decomposition.regions.push_back(regions_of(grid, declared.declarations.grids.back()));
    }
    for (const Json& field : json.at("fields"))
      declared.declarations.fields.push_back(field_of(field, declared.declarations));
    return declared;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::configuration,
                fmt::format("{}: {}; a run writes declared.COMPONENT.json into its report directory", name,
                            error.what()));
  }
}

}  // namespace tailrace::plan
