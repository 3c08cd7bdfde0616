#include "scenario.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace player {
namespace {

using Json = nlohmann::json;

// A list is of numbers: whole ones where all are.
std::map<std::string, tailrace::Attribute> read_attributes(const Json& owner) {
  std::map<std::string, tailrace::Attribute> attributes;
  const Json given = owner.value("attributes", Json::object());
  for (const auto& [name, value] : given.items()) {
    if (value.is_string())
      attributes[name] = value.get<std::string>();
    else if (std::all_of(value.begin(), value.end(), [](const Json& one) { return one.is_number_integer(); }))
      attributes[name] = value.get<std::vector<std::int32_t>>();
    else
      attributes[name] = value.get<std::vector<double>>();
  }
  return attributes;
}

Coordinate read_coordinate(const Json& json) {
  Coordinate coordinate;
  coordinate.spec.name = json.at("name");
  coordinate.spec.dims = json.value("dims", std::vector<std::string>{});
  coordinate.spec.units = json.value("units", "");
  coordinate.spec.standard_name = json.value("standard_name", "");
  coordinate.spec.long_name = json.value("long_name", "");
  coordinate.spec.attributes = read_attributes(json);
  coordinate.first = json.value("first", 0.0);
  coordinate.spacing = json.value("spacing", 1.0);
  coordinate.part = json.value("part", false);
  coordinate.vertices = json.value("vertices", std::size_t{0});
  coordinate.spec.vertices = coordinate.vertices;
  coordinate.spec.computed_bounds = json.value("computed_bounds", false);
  coordinate.spec.scalar = json.value("scalar", false);
  coordinate.spec.measure = json.value("measure", "");
  return coordinate;
}

Grid read_grid(const Json& json) {
  Grid grid;
  grid.name = json.at("name");
  grid.kind = json.at("kind");
  grid.dims = json.at("dims").get<std::vector<std::string>>();
  grid.shape = json.at("shape").get<std::vector<std::int64_t>>();
  grid.split = json.value("split", std::vector<std::string>{});
  grid.blocks = json.value("blocks", grid.blocks);
  grid.indexed_dim = json.value("indexed_dim", "");
  grid.mesh = json.value("mesh", false);
  grid.mesh_in_parts = json.value("mesh_in_parts", false);
  grid.node_units = json.value("node_units", "");
  grid.mesh_location = json.value("mesh_location", "");
  if (json.contains("grid_mapping"))
    grid.mapping = {.grid_mapping_name = json.at("grid_mapping").at("grid_mapping_name"),
                    .attributes = read_attributes(json.at("grid_mapping"))};
  for (const Json& coordinate : json.value("coordinates", Json::array()))
    grid.coordinates.push_back(read_coordinate(coordinate));
  return grid;
}

Field read_field(const Json& json) {
  Field field;
  field.spec.name = json.at("name");
  field.spec.grid = json.value("grid", "");
  field.spec.type = type_named(json.value("type", "float64"));
  field.spec.units = json.value("units", "1");
  field.spec.standard_name = json.value("standard_name", "");
  field.spec.long_name = json.value("long_name", "");
  field.spec.attributes = read_attributes(json);
  if (json.contains("fill_value"))  // JSON has no NaN
    field.spec.fill_value = json.at("fill_value").is_number() ? json.at("fill_value").get<double>()
                                                              : std::numeric_limits<double>::quiet_NaN();
  field.fixed = json.value("fixed", false);
  field.how = json.value("how", "dense");
  field.missing_steps = json.value("missing_steps", std::vector<std::int64_t>{});
  field.missing_ranks = json.value("missing_ranks", std::vector<int>{});
  return field;
}

Input read_input(const Json& json) {
  Input input;
  input.spec.name = json.at("name");
  input.spec.grid = json.value("grid", "");
  input.spec.type = type_named(json.value("type", "float64"));
  input.spec.units = json.value("units", "1");
  input.spec.optional = json.value("optional", false);
  if (json.contains("fill_value")) input.spec.fill_value = json.at("fill_value").get<double>();
  input.how = json.value("how", input.how);
  input.from_step = json.value("from_step", input.from_step);
  input.every = json.value("every", input.every);
  return input;
}

Fault read_fault(const Json& json) {
  return {.kind = json.value("kind", ""),
          .rank = json.value("rank", 0),
          .step = json.value("step", std::int64_t{0}),
          .victim = json.value("victim", 0)};
}

}  // namespace

tailrace::Type type_named(const std::string& name) {
  if (name == "float32") return tailrace::Type::float32;
  if (name == "float64") return tailrace::Type::float64;
  if (name == "int32") return tailrace::Type::int32;
  if (name == "int64") return tailrace::Type::int64;
  throw std::invalid_argument("scenario: no type " + name);
}

Scenario Scenario::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("scenario: cannot read " + path);
  const Json json = Json::parse(file);
  Scenario scenario;
  scenario.component = json.at("component");
  scenario.configuration = json.at("configuration");
  scenario.initial_time = json.value("initial_time", 0.0);
  scenario.times = json.at("times").get<std::vector<double>>();
  scenario.pace = json.value("pace", 0.0);
  scenario.exchange_values = json.value("exchange_values", scenario.exchange_values);
  scenario.report_steps = json.value("report_steps", false);
  scenario.in_step = json.value("in_step", false);
  scenario.asks_stop = json.value("asks_stop", false);
  scenario.checkpoints = json.value("checkpoints", false);
  scenario.requests = json.value("requests", std::vector<std::int64_t>{});
  scenario.got = json.value("got", std::vector<std::string>{});
  scenario.options = json.value("options", std::map<std::string, std::int64_t>{});
  for (const Json& grid : json.at("grids")) scenario.grids.push_back(read_grid(grid));
  for (const Json& field : json.at("fields")) scenario.fields.push_back(read_field(field));
  for (const Json& input : json.value("inputs", Json::array())) scenario.inputs.push_back(read_input(input));
  scenario.fault = read_fault(json.value("fault", Json::object()));
  return scenario;
}

}  // namespace player
