#include "plan/vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "model/directions.hpp"

namespace tailrace::plan {
namespace {

constexpr const char* angle_name = "angle_of_rotation_from_east_to_x";

// Names of CF's table with directions of a grid and true ones.
constexpr std::array<std::array<const char*, 2>, 6> directions{
    {{"x_wind", "eastward_wind"},
     {"y_wind", "northward_wind"},
     {"sea_water_x_velocity", "eastward_sea_water_velocity"},
     {"sea_water_y_velocity", "northward_sea_water_velocity"},
     {"sea_ice_x_velocity", "eastward_sea_ice_velocity"},
     {"sea_ice_y_velocity", "northward_sea_ice_velocity"}}};

bool is_true(const std::string& standard_name) {
  return standard_name.find("eastward") != std::string::npos ||
         standard_name.find("northward") != std::string::npos;
}

// Its dims are parallels and meridians, or its cells have no directions of their own.
bool has_true_directions(const model::Grid& grid) {
  if (grid.mapping && model::text_of(grid.mapping->attributes, "grid_mapping_name") == "healpix") return true;
  const auto is_axis = [&](bool (*is)(const model::Coordinate&)) {
    return std::ranges::any_of(grid.coordinates, [is](const model::Coordinate& one) {
      return one.dims.size() == 1 && is(one) && !one.standard_name.starts_with("grid_");
    });
  };
  return is_axis(&model::is_latitude) && is_axis(&model::is_longitude) && grid.indexed_dim.empty();
}

bool is_place(const model::Coordinate& one, bool is_lat) {
  return (is_lat ? model::is_latitude(one) : model::is_longitude(one)) && !one.dims.empty() &&
         !one.standard_name.starts_with("grid_") && (!one.values.empty() || one.field);
}

bool has_places(const model::Grid& grid) {
  const auto has = [&](bool is_lat) {
    return std::ranges::any_of(grid.coordinates, [=](const auto& one) { return is_place(one, is_lat); });
  };
  return has(true) && has(false);
}

bool are_dims_within(const model::Grid& inner, const model::Grid& outer) {
  return std::ranges::all_of(inner.dims, [&](const std::string& dim) {
    return std::ranges::find(outer.dims, dim) != outer.dims.end();
  });
}

}  // namespace

std::string true_name(const std::string& standard_name) {
  if (is_true(standard_name)) return standard_name;
  for (const auto& [own, truly] : directions)
    if (standard_name == own) return truly;
  for (const auto& [own, truly] :
       {std::pair{"_x_stress", "_eastward_stress"}, std::pair{"_y_stress", "_northward_stress"}}) {
    const std::string ending = own;
    if (standard_name.ends_with(ending))
      return standard_name.substr(0, standard_name.size() - ending.size()) + truly;
  }
  return "";
}

Vectors::Vectors(const settings::Configuration& configuration, const model::Declarations& declarations,
                 config::Problems& problems)
    : given_(configuration), declarations_(declarations), problems_(problems) {
  std::set<const regrid::Options*> seen;
  for (const settings::OutputEntry& file : configuration.files)
    for (const settings::VariableEntry& variable : file.variables)
      if (variable.regrid && seen.insert(variable.regrid.get()).second)
        for (const regrid::VectorPair& pair : variable.regrid->vectors) add(pair, *variable.regrid);
}

std::optional<std::array<const model::Field*, 2>> Vectors::fields_of(const regrid::VectorPair& pair,
                                                                     const std::string& path) {
  std::array<const model::Field*, 2> fields{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& name = i == 0 ? pair.east : pair.north;
    const config::Location& place = i == 0 ? pair.location : pair.north_location;
    const auto found = declarations_.find_field(name);
    if (!found || !declarations_.fields[base::index(*found)].is_put()) {
      problems_.add(place, path,
                    fmt::format("the model declares no field \"{}\".{}", name,
                                base::name_hint(name, declarations_.field_names())));
      return std::nullopt;
    }
    fields[i] = &declarations_.fields[base::index(*found)];
  }
  for (const model::Field* field : fields) {
    const bool is_asked_for =
        std::ranges::any_of(given_.field_groups, [&](const settings::FieldGroup& group) {
          return std::ranges::any_of(group.fields, [&](const auto& one) { return one.name == field->name; });
        });
    if (is_asked_for) continue;
    problems_.add(pair.location, path, fmt::format("\"{}\" is not listed under `fields`", field->name));
    return std::nullopt;
  }
  if (fields[0]->units != fields[1]->units) {
    problems_.add(pair.location, path,
                  fmt::format("\"{}\" ({}) and \"{}\" ({}) have different units; expected the components of "
                              "one vector",
                              pair.east, fields[0]->units, pair.north, fields[1]->units));
    return std::nullopt;
  }
  if (fields[0]->grid == fields[1]->grid) return fields;
  problems_.add(
      pair.location, path,
      fmt::format("\"{}\" lies on the grid \"{}\" and \"{}\" on \"{}\"; expected both components at the same "
                  "points",
                  pair.east, declarations_.grids[base::index(fields[0]->grid)].name, pair.north,
                  declarations_.grids[base::index(fields[1]->grid)].name));
  return std::nullopt;
}

void Vectors::add(const regrid::VectorPair& pair, const regrid::Options& options) {
  const std::string path = options.config_path + ".vectors";
  if (options.method == regrid::Method::largest_area)
    return problems_.add(pair.location, path,
                         "`largest_area` is for classes, and a vector is none; expected another method");
  const bool is_known = std::ranges::any_of(
      pairs_, [&](const Pair& one) { return one.east == pair.east && one.north == pair.north; });
  if (is_known) return;
  const auto fields = fields_of(pair, path);
  if (!fields) return;
  const auto& [along_x, along_y] = *fields;
  const int grid = along_x->grid;
  std::string e = pair.east, n = pair.north;
  const bool are_true = is_true(along_x->standard_name) && is_true(along_y->standard_name);
  if (!are_true && !has_true_directions(declarations_.grids[base::index(grid)])) {
    const auto angle = angle_of(grid, pair, path);
    if (!angle) return;
    e = fmt::format("({0} * cos({2}) - {1} * sin({2}))", pair.east, pair.north, *angle);
    n = fmt::format("({0} * sin({2}) + {1} * cos({2}))", pair.east, pair.north, *angle);
  } else if (!has_places(declarations_.grids[base::index(grid)]))
    return;  // cells of HEALPix: the components are as good as any others
  const auto lat = place_of(grid, true, pair, path), lon = place_of(grid, false, pair, path);
  if (!lat || !lon) return;
  const std::string name = fmt::format("the vector of {} and {}", pair.east, pair.north);
  add_diagnostic(
      name,
      fmt::format(
          "earth_axis_x * (-{0} * sin({3}) - {1} * sin({2}) * cos({3})) + earth_axis_y * ({0} * cos({3}) - "
          "{1} * sin({2}) * sin({3})) + earth_axis_z * {1} * cos({2})",
          e, n, *lat, *lon),
      pair.location);
  pairs_.push_back({pair.east,
                    pair.north,
                    {name, Projection::east, true_name(along_x->standard_name)},
                    {name, Projection::north, true_name(along_y->standard_name)}});
}

std::optional<std::string> Vectors::angle_of(int number, const regrid::VectorPair& pair,
                                             const std::string& path) {
  const model::Grid& grid = declarations_.grids[base::index(number)];
  for (const model::Coordinate& one : grid.coordinates)
    if (one.standard_name == angle_name) return name_of("angle", number, one);
  if (auto field = angle_field(number)) return field;
  if (const auto computed = angle_of_rotated_pole(grid)) return name_of("angle", number, *computed);
  problems_.add(
      pair.location, path,
      fmt::format(
          "the grid \"{}\" of \"{}\" does not tell where its x direction points; expected a coordinate, or "
          "a field that is listed under `fields`, with the standard_name {}, or a mapping "
          "rotated_latitude_longitude with coordinates of the rotated pole",
          grid.name, pair.east, angle_name));
  return std::nullopt;
}

// A field of the model on the same cells.
std::optional<std::string> Vectors::angle_field(int number) const {
  for (const settings::FieldGroup& group : given_.field_groups)
    for (const auto& [name, where] : group.fields) {
      const auto found = declarations_.find_field(name);
      if (!found) continue;
      const model::Field& field = declarations_.fields[base::index(*found)];
      if (field.standard_name == angle_name && field.is_put() &&
          are_dims_within(declarations_.grids[base::index(field.grid)],
                          declarations_.grids[base::index(number)]))
        return name;
    }
  return std::nullopt;
}

std::optional<std::string> Vectors::place_of(int number, bool is_lat, const regrid::VectorPair& pair,
                                             const std::string& path) {
  const model::Grid& grid = declarations_.grids[base::index(number)];
  for (const model::Coordinate& one : grid.coordinates)
    if (is_place(one, is_lat)) return name_of(is_lat ? "latitude" : "longitude", number, one);
  problems_.add(
      pair.location, path,
      fmt::format("the grid \"{}\" of \"{}\" has no coordinate of {}, which the directions of vectors need",
                  grid.name, pair.east, is_lat ? "latitude" : "longitude"));
  return std::nullopt;
}

// Names of coordinates may stand for several grids, so expressions get one that does not.
std::string Vectors::name_of(const std::string& what, int grid, const model::Coordinate& coordinate) {
  const std::string name = fmt::format("{}_of_grid_{}", what, grid);
  if (std::ranges::find(coordinates_, name, &NamedCoordinate::name) == coordinates_.end())
    coordinates_.push_back({name, grid, coordinate});
  return name;
}

void Vectors::add_diagnostic(const std::string& name, const std::string& is, const config::Location& where) {
  if (!own_) {
    own_ = given_;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      model::Coordinate one;
      one.dims = {vector_dim};
      one.units = "1";
      one.values.assign(3, 0.0);
      one.values[axis] = 1.0;
      coordinates_.push_back({fmt::format("earth_axis_{}", "xyz"[axis]), -1, one});
    }
  }
  settings::DiagnosticEntry entry;
  entry.name = name;
  entry.location = entry.is_location = where;
  entry.is = is;
  own_->diagnostics.push_back(std::move(entry));
}

std::optional<Vectors::Component> Vectors::find(const settings::VariableEntry& entry,
                                                const std::string& field) const {
  if (!entry.regrid) return std::nullopt;
  for (const regrid::VectorPair& asked : entry.regrid->vectors)
    for (const Pair& pair : pairs_) {
      if (pair.east != asked.east || pair.north != asked.north) continue;
      if (field == pair.east) return pair.to_east;
      if (field == pair.north) return pair.to_north;
    }
  return std::nullopt;
}

}  // namespace tailrace::plan
