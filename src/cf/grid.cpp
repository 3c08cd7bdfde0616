#include "cf/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "cf/chunk_shape.hpp"
#include "cf/mesh.hpp"
#include "cf/text.hpp"
#include "model/axis.hpp"
#include "model/healpix.hpp"
#include "plan/analysis.hpp"
#include "plan/diagnostic_coordinates.hpp"
#include "plan/naming/axis_warnings.hpp"
#include "plan/naming/formula_terms.hpp"
#include "plan/regridding.hpp"

namespace tailrace::cf {
namespace {

const model::Coordinate* own_coordinate(const model::Grid& grid, const std::string& dim) {
  for (const model::Coordinate& coordinate : grid.coordinates)
    if (coordinate.dims == std::vector{dim} &&
        (coordinate.name == dim || coordinate.name == plan::name_if_unordered(dim)))
      return &coordinate;
  return nullptr;
}

// The coordinate of the dim has values that no coordinate variable may have, so that nothing in a file may
// have the name of both.
bool has_unordered(const model::Grid& grid, const std::string& dim) {
  return std::ranges::any_of(grid.coordinates, [&](const model::Coordinate& one) {
    return one.name == dim && model::is_axis(one) && model::axis_complaint(one.values);
  });
}

// Nobody has all values of a coordinate given in parts, but its digest is known.
bool same_cells(const model::Coordinate& a, const model::Coordinate& b) {
  if (!a.field && !b.field) return a.values == b.values && a.bounds == b.bounds;
  return (a.digest != 0 && a.digest == b.digest) || (a.field == b.field && a.bounds_field == b.bounds_field);
}

bool same_values(const model::Coordinate& a, const model::Coordinate& b) {
  return a.name == b.name && a.units == b.units && a.standard_name == b.standard_name &&
         a.long_name == b.long_name && a.attributes == b.attributes && a.measure == b.measure &&
         same_cells(a, b);
}

std::int64_t extent_of(const model::Grid& grid, const std::string& dim) {
  const auto found = std::find(grid.dims.begin(), grid.dims.end(), dim);
  return found == grid.dims.end() ? -1 : grid.shape[base::index(found - grid.dims.begin())];
}

// The suffix that distinguishes a name from the same name of another grid.
std::string suffix_of(const model::Grid& grid) {
  if (grid.name.starts_with(plan::diagnostic_grid)) return grid.name.substr(plan::diagnostic_grid.size());
  if (grid.name.starts_with(plan::regridded_grid)) {  // the target alone, whatever its further dims
    const std::string name = grid.name.substr(plan::regridded_grid.size());
    return name.substr(0, name.find(' '));
  }
  return grid.name;
}

std::vector<std::byte> bytes_of(const std::vector<double>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

bool Names::is_taken(const std::string& name) const {
  return std::find(taken_.begin(), taken_.end(), name) != taken_.end();
}

std::string Names::take(const std::string& wished, const std::string& suffix) {
  std::string name = wished;
  if (is_taken(name)) name = fmt::format("{}_{}", wished, suffix);
  for (int number = 2; is_taken(name); ++number) name = fmt::format("{}_{}_{}", wished, suffix, number);
  taken_.push_back(name);
  return name;
}

GridWriter::GridWriter(DatasetLayout& layout, const plan::DatasetPlan& file,
                       const model::Declarations& declarations, Names& names, std::vector<int> grids)
    : layout_(layout), file_(file), declarations_(declarations), names_(names), grids_(std::move(grids)) {}

// Two grids may share a dim only if it has the same size and the same coordinate in both. A dim must not have
// the name of a planned variable, which readers would take for its coordinate.
bool GridWriter::conflicts(const std::string& dim) const {
  if (names_.is_taken(dim)) return true;
  std::int64_t extent = -1;
  const model::Coordinate* first = nullptr;
  for (const int index : grids_) {
    const std::int64_t other_extent = extent_of(grid(index), dim);
    if (other_extent < 0) continue;
    if (extent >= 0 && extent != other_extent) return true;
    extent = other_extent;
    const model::Coordinate* other = own_coordinate(grid(index), dim);
    if (first != nullptr && other != nullptr && !same_values(*first, *other)) return true;
    if (first == nullptr) first = other;
  }
  return false;
}

// The dim of an earlier grid that has the same coordinate.
std::optional<int> GridWriter::dim_before(int grid_index, const std::string& dim) const {
  const model::Coordinate* own = own_coordinate(grid(grid_index), dim);
  if (own == nullptr) return std::nullopt;
  for (const auto& [before, dims] : dims_) {
    const model::Coordinate* other = own_coordinate(grid(before), dim);
    if (other != nullptr && extent_of(grid(before), dim) == extent_of(grid(grid_index), dim) &&
        same_values(*own, *other))
      return dim_of(before, dim);
  }
  return std::nullopt;
}

int GridWriter::dim(const std::string& name, std::int64_t size) {
  std::vector<output::DimensionSpec>& dims = layout_.dataset.dims;
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name == name && dims[d].size == size && !dims[d].unlimited) return static_cast<int>(d);
  std::string free_name = name;
  const auto taken = [&] {
    return std::any_of(dims.begin(), dims.end(),
                       [&](const output::DimensionSpec& one) { return one.name == free_name; });
  };
  for (int number = 2; taken(); ++number) free_name = fmt::format("{}_{}", name, number);
  dims.push_back({free_name, size, false});
  return static_cast<int>(dims.size()) - 1;
}

void GridWriter::add_dims() {
  for (const int index : grids_) {
    const model::Grid& of = grid(index);
    std::vector<int> dims;
    for (std::size_t d = 0; d < of.dims.size(); ++d) {
      const std::string& name = of.dims[d];
      const bool conflict = conflicts(name);
      const auto before = conflict ? dim_before(index, name) : std::nullopt;
      std::string wished = conflict ? fmt::format("{}_{}", name, suffix_of(of)) : name;
      if (conflict ? has_unordered(of, name)
                   : std::ranges::any_of(grids_, [&](int one) { return has_unordered(grid(one), name); }))
        wished = plan::dim_if_unordered(wished);
      dims.push_back(before ? *before : dim(wished, of.shape[d]));
    }
    dims_[index] = dims;
  }
}

void GridWriter::share_dims() {
  for (const int index : grids_) {
    std::vector<int>& dims = dims_[index];  // none of scalars
    for (std::size_t d = 0; d < grid(index).dims.size(); ++d)
      dims.push_back(dim(grid(index).dims[d], grid(index).shape[d]));
  }
}

int GridWriter::dim_of(int grid_index, const std::string& dim) const {
  const model::Grid& of = grid(grid_index);
  const auto found = std::find(of.dims.begin(), of.dims.end(), dim);
  TAILRACE_ASSERT(found != of.dims.end(), "a coordinate's dims are among its grid's");
  return dims_.at(grid_index)[base::index(found - of.dims.begin())];
}

void GridWriter::add_coordinates() {
  std::map<int, std::vector<std::string>> all;
  for (const int index : grids_) {
    std::map<std::string, std::string> names;  // of variables, by that of the coordinate
    for (const model::Coordinate& coordinate : grid(index).coordinates)
      names[coordinate.name] = add_coordinate(index, coordinate);
    const std::set<std::string> terms = add_formula_terms(index, names);
    std::vector<std::string> auxiliary, measures;
    for (const model::Coordinate& coordinate : grid(index).coordinates) {
      const std::string& name = names[coordinate.name];
      const bool is_axis = coordinate.dims.size() == 1 &&
                           layout_.dataset.dims[base::index(dim_of(index, coordinate.dims[0]))].name == name;
      if (!coordinate.measure.empty())
        measures.push_back(fmt::format("{}: {}", coordinate.measure, name));
      else if (!is_axis && !terms.contains(coordinate.name))
        auxiliary.push_back(name);
    }
    output::Attributes& attributes = attributes_[index];
    const auto tell = [&](const char* name, const std::vector<std::string>& words) {
      if (!words.empty()) attributes.emplace_back(name, fmt::format("{}", fmt::join(words, " ")));
    };
    tell("coordinates", auxiliary);
    tell("cell_measures", measures);
    if (grid(index).mapping) attributes.emplace_back("grid_mapping", add_mapping(index));
    for (const model::Coordinate& coordinate : grid(index).coordinates)
      if (!coordinate.measure.empty()) place_measure(names[coordinate.name], auxiliary, attributes);
    all[index] = std::move(auxiliary);
  }
  add_meshes(all);
}

void GridWriter::add_further(const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted) {
    if (variable(name) != nullptr) continue;
    for (const model::Grid& of : declarations_.grids) {
      const model::Coordinate* own = own_coordinate(of, name);
      if (own == nullptr || own->values.empty()) continue;
      const bool is_ordered = !model::axis_complaint(own->values);
      const int along = dim(is_ordered ? name : plan::dim_if_unordered(name), extent_of(of, name));
      add_described(*own, {along}, names_.take(name, suffix_of(of)), suffix_of(of));
      break;
    }
  }
}

output::VariableSpec* GridWriter::variable(const std::string& name) {
  for (output::VariableSpec& one : layout_.dataset.variables)
    if (one.name == name) return &one;
  return nullptr;
}

// Replaces terms by the names of their variables in this file; the bounds of levels are computed from those
// of the terms (CF 7.1). Returns the coordinates that are terms.
std::set<std::string> GridWriter::add_formula_terms(int grid_index,
                                                    const std::map<std::string, std::string>& names) {
  std::set<std::string> used;
  for (const model::Coordinate& coordinate : grid(grid_index).coordinates) {
    const auto terms = plan::formula_terms_of(model::text_of(coordinate.attributes, "formula_terms"));
    if (!terms) continue;
    std::vector<std::string> of_values, of_bounds;
    for (const plan::FormulaTerm& term : *terms) {
      const auto own = names.find(term.name);
      const auto* planned = plan::variable_of(file_, declarations_, term.name);
      const std::string name = own != names.end() ? own->second : planned != nullptr ? planned->name : "";
      if (own != names.end()) used.insert(term.name);
      if (name.empty()) continue;
      of_values.push_back(fmt::format("{}: {}", term.term, name));
      const bool has_bounds = own != names.end() && variable(name + "_bnds") != nullptr;
      of_bounds.push_back(fmt::format("{}: {}{}", term.term, name, has_bounds ? "_bnds" : ""));
    }
    output::Attributes& attributes = variable(names.at(coordinate.name))->attributes;
    std::erase_if(attributes, [](const auto& one) { return one.first == "formula_terms"; });
    if (of_values.size() < terms->size())
      continue;  // readers could not compute the levels of this diagnostic
    set_attribute(attributes, "formula_terms", fmt::format("{}", fmt::join(of_values, " ")));
    if (output::VariableSpec* bounds = variable(names.at(coordinate.name) + "_bnds"))
      bounds->attributes = {{"formula_terms", fmt::format("{}", fmt::join(of_bounds, " "))}};
  }
  return used;
}

// A variable without data; grids of one file may share it.
std::string GridWriter::add_mapping(int grid_index) {
  const model::GridMapping& mapping = *grid(grid_index).mapping;
  for (const auto& [known, name] : mappings_)
    if (known->name == mapping.name && known->attributes == mapping.attributes) return name;
  output::VariableSpec spec;
  spec.name = names_.take(mapping.name, suffix_of(grid(grid_index)));
  spec.type = model::DataType::int32;
  spec.attributes = {mapping.attributes.begin(), mapping.attributes.end()};
  mappings_.emplace_back(&mapping, spec.name);
  add_without_data(std::move(spec));
  return mappings_.back().second;
}

void GridWriter::add_without_data(output::VariableSpec spec) {
  const int number = static_cast<int>(layout_.dataset.variables.size());
  layout_.dataset.variables.push_back(std::move(spec));
  layout_.constants.push_back({number, 0, std::vector<std::byte>(sizeof(std::int32_t))});
}

std::string GridWriter::add_scalar(const model::Coordinate& coordinate, const std::string& suffix) {
  for (const Added& before : added_)
    if (before.dims.empty() && same_values(*before.coordinate, coordinate)) return before.name;
  return add_described(coordinate, {}, names_.take(coordinate.name, suffix), suffix);
}

// A coordinate variable (CF 5) has the name that its dim has in the file. Values that it may not have make an
// auxiliary coordinate.
std::string GridWriter::coordinate_name(int grid_index, const model::Coordinate& coordinate) {
  std::string wished = coordinate.name;
  if (model::is_axis(coordinate) && !model::axis_complaint(coordinate.values))
    wished = layout_.dataset.dims[base::index(dim_of(grid_index, coordinate.dims[0]))].name;
  return names_.take(wished, suffix_of(grid(grid_index)));
}

std::string GridWriter::add_coordinate(int grid_index, const model::Coordinate& coordinate) {
  std::vector<int> dims;
  for (const std::string& dim : coordinate.dims) dims.push_back(dim_of(grid_index, dim));
  for (const Added& before : added_)
    if (before.dims == dims && same_values(*before.coordinate, coordinate)) return before.name;
  return add_described(coordinate, std::move(dims), coordinate_name(grid_index, coordinate),
                       suffix_of(grid(grid_index)));
}

// The number of bounds of each value.
std::int64_t GridWriter::vertices_of(const model::Coordinate& coordinate) const {
  if (!coordinate.bounds_field)
    return coordinate.bounds.empty()
               ? 0
               : std::ssize(coordinate.bounds) / std::max<std::int64_t>(std::ssize(coordinate.values), 1);
  const model::Field& field = declarations_.fields[base::index(*coordinate.bounds_field)];
  return grid(field.grid).shape.back();
}

std::string GridWriter::add_described(const model::Coordinate& coordinate, std::vector<int> dims,
                                      const std::string& name, const std::string& suffix) {
  output::VariableSpec spec;
  spec.name = name;
  spec.dims = std::move(dims);
  describe(spec.attributes, coordinate);
  if (coordinate.odd.missing > 0) spec.fill_value = std::numeric_limits<double>::quiet_NaN();
  added_.push_back({&coordinate, spec.dims, name});
  output::VariableSpec bounds;  // CF 7.1: they inherit all attributes
  const std::int64_t vertices = vertices_of(coordinate);
  if (vertices > 0) {
    bounds.name = names_.take(name + "_bnds", suffix);
    bounds.dims = spec.dims;
    bounds.dims.push_back(dim(vertices == 2 ? "bnds" : "vertices", vertices));
    set_attribute(spec.attributes, "bounds", bounds.name);
  }
  if (coordinate.field)
    add_static(std::move(spec), *coordinate.field);
  else
    add_constant(std::move(spec), coordinate.values);
  if (coordinate.bounds_field)
    add_static(std::move(bounds), *coordinate.bounds_field);
  else if (vertices > 0)
    add_constant(std::move(bounds), coordinate.bounds);
  return name;
}

int GridWriter::add_constant(output::VariableSpec spec, const std::vector<double>& values) {
  const int variable = static_cast<int>(layout_.dataset.variables.size());
  layout_.dataset.variables.push_back(std::move(spec));
  layout_.constants.push_back({variable, 0, bytes_of(values)});
  return variable;
}

int GridWriter::add_static(output::VariableSpec spec, int field) {
  const model::Field& declared = declarations_.fields[base::index(field)];
  VariableLayout layout;
  layout.variable = static_cast<int>(layout_.dataset.variables.size());
  layout.field = field;
  for (const int dim : spec.dims) layout.shape.push_back(layout_.dataset.dims[base::index(dim)].size);
  spec.type = declared.type;
  // In holes of the grid an auxiliary coordinate is missing (CF 2.5.1), and so are its bounds.
  if (!spec.fill_value) spec.fill_value = declared.fill_value;
  spec.chunk = cut_static(layout.shape, model::size_of(declared.type));
  const auto cells = declared.grid < 0 ? std::nullopt : model::healpix_dim(grid(declared.grid));
  if (cells && !spec.chunk.empty()) spec.chunk[*cells] = healpix_piece(spec.chunk[*cells]);
  if (!spec.chunk.empty()) spec.codec = file_.entry.codec;
  // The bound is in the units of the fields, not of places, and numbers of nodes are exact.
  spec.codec.keep.reset();
  layout.chunk = spec.chunk.empty() ? layout.shape : spec.chunk;
  layout_.dataset.variables.push_back(std::move(spec));
  layout_.variables.push_back(std::move(layout));
  return layout_.variables.back().variable;
}

// A measure is a field, too, and has its own coordinates.
void GridWriter::place_measure(const std::string& name, const std::vector<std::string>& auxiliary,
                               const output::Attributes& of_grid) {
  output::VariableSpec& measure = *variable(name);
  std::vector<std::string> coordinates;
  for (const std::string& one : auxiliary) {
    const auto has = [&](int dim) { return std::ranges::count(measure.dims, dim) > 0; };
    if (const auto& dims = variable(one)->dims; !dims.empty() && std::ranges::all_of(dims, has))
      coordinates.push_back(one);
  }
  if (!coordinates.empty())
    set_attribute(measure.attributes, "coordinates", fmt::format("{}", fmt::join(coordinates, " ")));
  for (const auto& [key, value] : of_grid)
    if (key == "grid_mapping") set_attribute(measure.attributes, key, value);
}

// Grids whose meshes have the same name and cells share it.
void GridWriter::add_meshes(const std::map<int, std::vector<std::string>>& coordinates) {
  const auto key_of = [&](int index) {
    return fmt::format("{}/{}", grid(index).indexed_dim, grid(index).mesh->name);
  };
  const auto along = [&](int index, int dim) {
    std::vector<std::string> names;
    for (const std::string& name : coordinates.at(index))
      for (const Added& added : added_)
        if (added.name == name && added.dims == std::vector<int>{dim}) names.push_back(name);
    return names;
  };
  std::map<std::string, MeshUse> uses;
  for (const int index : grids_) {
    const model::Grid& of = grid(index);
    if (!of.mesh && !of.place) continue;
    const int with_mesh = of.place ? of.place->grid : index;
    MeshUse& use = uses[key_of(with_mesh)];
    if (use.grid == nullptr) use.grid = &grid(with_mesh);
    const int dim = dim_of(index, of.indexed_dim.empty() ? of.dims.back() : of.indexed_dim);
    if (!of.place) {
      use.faces = dim;
      if (use.face_coordinates.empty()) use.face_coordinates = along(index, dim);
    } else if (of.place->element == model::MeshElement::edge) {
      use.edges = dim;
      use.edge_connectivity = of.place->connectivity_field;
      use.edge_coordinates = along(index, dim);
    } else {
      use.nodes = dim;
    }
  }
  std::map<std::string, std::string> names;
  for (const auto& [key, use] : uses) names[key] = write_mesh(*this, use);
  for (const int index : grids_) {
    const model::Grid& of = grid(index);
    if (!of.mesh && !of.place) continue;
    attributes_[index].emplace_back("mesh", names[key_of(of.place ? of.place->grid : index)]);
    const bool of_edges = of.place && of.place->element == model::MeshElement::edge;
    attributes_[index].emplace_back("location", std::string(!of.place ? "face" : of_edges ? "edge" : "node"));
  }
}

}  // namespace tailrace::cf
