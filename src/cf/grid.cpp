#include "cf/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cf/chunk_shape.hpp"
#include "cf/text.hpp"
#include "plan/analysis.hpp"
#include "plan/diagnostic_coordinates.hpp"

namespace tailrace::cf {
namespace {

constexpr std::int64_t most_contiguous_bytes = 1 << 20;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

const model::Coordinate* own_coordinate(const model::Grid& grid, const std::string& dim) {
  for (const model::Coordinate& coordinate : grid.coordinates)
    if (coordinate.dims == std::vector{dim} &&
        (coordinate.name == dim || coordinate.name == plan::name_if_unordered(dim)))
      return &coordinate;
  return nullptr;
}

bool same_values(const model::Coordinate& a, const model::Coordinate& b) {
  return a.name == b.name && a.units == b.units && a.standard_name == b.standard_name &&
         a.long_name == b.long_name && a.attributes == b.attributes && a.values == b.values &&
         a.bounds == b.bounds && a.field == b.field;
}

std::int64_t extent_of(const model::Grid& grid, const std::string& dim) {
  const auto found = std::find(grid.dims.begin(), grid.dims.end(), dim);
  return found == grid.dims.end() ? -1 : grid.shape[static_cast<std::size_t>(found - grid.dims.begin())];
}

// What is put behind a name to tell it from the same one of another grid.
std::string suffix_of(const model::Grid& grid) {
  return grid.name.starts_with(plan::diagnostic_grid) ? grid.name.substr(plan::diagnostic_grid.size())
                                                      : grid.name;
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

GridWriter::GridWriter(FileLayout& layout, const plan::FilePlan& file,
                       const model::Declarations& declarations, Names& names, std::vector<int> grids)
    : layout_(layout), file_(file), declarations_(declarations), names_(names), grids_(std::move(grids)) {}

// Two grids may share a dim only if it has the same size and the same coordinate for both. And a dim must not
// be called like a planned variable, which would then pass for its coordinate.
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

// The dim of a grid before this one that has the same coordinate.
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
      const std::string wished = conflict ? fmt::format("{}_{}", name, suffix_of(of)) : name;
      dims.push_back(before ? *before : dim(wished, of.shape[d]));
    }
    dims_[index] = dims;
  }
}

int GridWriter::dim_of(int grid_index, const std::string& dim) const {
  const model::Grid& of = grid(grid_index);
  const auto found = std::find(of.dims.begin(), of.dims.end(), dim);
  TAILRACE_ASSERT(found != of.dims.end(), "a coordinate's dims are among its grid's");
  return dims_.at(grid_index)[static_cast<std::size_t>(found - of.dims.begin())];
}

void GridWriter::add_coordinates() {
  for (const int index : grids_) {
    std::vector<std::string> auxiliary;
    for (const model::Coordinate& coordinate : grid(index).coordinates) {
      const std::string name = add_coordinate(index, coordinate);
      const bool is_axis = coordinate.dims.size() == 1 &&
                           layout_.dataset.dims[at(dim_of(index, coordinate.dims[0]))].name == name;
      if (!is_axis) auxiliary.push_back(name);
    }
    if (!auxiliary.empty())
      attributes_[index].emplace_back("coordinates", fmt::format("{}", fmt::join(auxiliary, " ")));
    else
      attributes_[index];
    if (grid(index).mesh) add_mesh(index, auxiliary);
  }
}

// A coordinate variable (CF 5) has the name of its dim, whatever that became.
std::string GridWriter::coordinate_name(int grid_index, const model::Coordinate& coordinate, bool is_axis) {
  const std::string wished =
      is_axis ? layout_.dataset.dims[at(dim_of(grid_index, coordinate.dims[0]))].name : coordinate.name;
  return names_.take(wished, suffix_of(grid(grid_index)));
}

std::string GridWriter::add_coordinate(int grid_index, const model::Coordinate& coordinate) {
  output::VariableSpec spec;
  for (const std::string& dim : coordinate.dims) spec.dims.push_back(dim_of(grid_index, dim));
  for (const Added& before : added_)
    if (before.dims == spec.dims && same_values(*before.coordinate, coordinate)) return before.name;
  const bool is_axis = coordinate.dims == std::vector<std::string>{coordinate.name};
  spec.name = coordinate_name(grid_index, coordinate, is_axis);
  describe(spec.attributes, coordinate);
  added_.push_back({&coordinate, spec.dims, spec.name});
  output::VariableSpec bounds;  // CF 7.1: they inherit all attributes
  if (!coordinate.bounds.empty()) {
    bounds.name = names_.take(spec.name + "_bnds", suffix_of(grid(grid_index)));
    bounds.dims = {spec.dims[0], dim("bnds", 2)};
    set_attribute(spec.attributes, "bounds", bounds.name);
  }
  const std::string name = spec.name;
  if (coordinate.field)
    add_static(std::move(spec), *coordinate.field);
  else
    add_constant(std::move(spec), coordinate.values);
  if (!coordinate.bounds.empty()) add_constant(std::move(bounds), coordinate.bounds);
  return name;
}

int GridWriter::add_constant(output::VariableSpec spec, const std::vector<double>& values) {
  const int variable = static_cast<int>(layout_.dataset.variables.size());
  layout_.dataset.variables.push_back(std::move(spec));
  layout_.constants.push_back({variable, 0, bytes_of(values)});
  return variable;
}

int GridWriter::add_static(output::VariableSpec spec, int field) {
  const model::Field& declared = declarations_.fields[at(field)];
  VariableLayout layout;
  layout.variable = static_cast<int>(layout_.dataset.variables.size());
  layout.field = field;
  std::int64_t bytes = static_cast<std::int64_t>(model::size_of(declared.type));
  for (const int dim : spec.dims) {
    layout.shape.push_back(layout_.dataset.dims[at(dim)].size);
    bytes *= layout.shape.back();
  }
  layout.chunk = layout.shape;
  spec.type = declared.type;
  if (bytes > most_contiguous_bytes) {
    layout.chunk = cut_shape(layout.shape, model::size_of(declared.type), most_contiguous_bytes);
    spec.chunk = layout.chunk;
    spec.codec = file_.entry.codec;
  }
  layout_.dataset.variables.push_back(std::move(spec));
  layout_.variables.push_back(std::move(layout));
  return layout_.variables.back().variable;
}

// UGRID 1.0: a variable without data that ties nodes, faces and coordinates together.
void GridWriter::add_mesh(int grid_index, const std::vector<std::string>& face_coordinates) {
  const model::Grid& of = grid(grid_index);
  const model::Mesh& mesh = *of.mesh;
  const std::string key = fmt::format("{}/{}", of.indexed_dim, mesh.name);
  std::string& topology = meshes_[key];
  if (topology.empty()) {
    topology = names_.take(mesh.name, of.name);
    const std::string faces_dim = of.indexed_dim.empty() ? of.dims.back() : of.indexed_dim;
    const int faces = dim_of(grid_index, faces_dim);
    const int nodes = dim(topology + "_node", mesh.nodes);
    const int corners = dim(topology + "_face_nodes_max", mesh.nodes_per_face);
    const auto named = [&](const char* part) {
      return names_.take(fmt::format("{}_{}", topology, part), of.name);
    };

    output::VariableSpec x, y, connectivity, itself;
    x.name = named("node_x");
    x.dims = {nodes};
    x.attributes = {
        {"units", "degrees_east"}, {"standard_name", "longitude"}, {"long_name", "longitude of mesh nodes"}};
    y.name = named("node_y");
    y.dims = {nodes};
    y.attributes = {
        {"units", "degrees_north"}, {"standard_name", "latitude"}, {"long_name", "latitude of mesh nodes"}};
    connectivity.name = named("face_nodes");
    connectivity.dims = {faces, corners};
    connectivity.fill_value = -1.0;
    connectivity.attributes = {{"cf_role", "face_node_connectivity"},
                               {"long_name", "nodes of each face, counter-clockwise"},
                               {"start_index", std::int32_t{0}}};
    itself.name = topology;
    itself.type = model::DataType::int32;
    itself.attributes = {{"cf_role", "mesh_topology"},
                         {"long_name", "topology of the horizontal mesh"},
                         {"topology_dimension", std::int32_t{2}},
                         {"node_coordinates", fmt::format("{} {}", x.name, y.name)},
                         {"face_node_connectivity", connectivity.name},
                         {"face_dimension", layout_.dataset.dims[at(faces)].name}};
    std::vector<std::string> centres;
    for (const std::string& name : face_coordinates)
      for (const Added& added : added_)
        if (added.name == name && added.dims == std::vector<int>{faces}) centres.push_back(name);
    if (!centres.empty())
      itself.attributes.emplace_back("face_coordinates", fmt::format("{}", fmt::join(centres, " ")));

    const int variable = static_cast<int>(layout_.dataset.variables.size());
    layout_.dataset.variables.push_back(std::move(itself));
    layout_.constants.push_back({variable, 0, std::vector<std::byte>(sizeof(std::int32_t))});
    add_static(std::move(x), mesh.node_x_field);
    add_static(std::move(y), mesh.node_y_field);
    add_static(std::move(connectivity), mesh.connectivity_field);
  }
  attributes_[grid_index].emplace_back("mesh", topology);
  attributes_[grid_index].emplace_back("location", "face");
}

}  // namespace tailrace::cf
