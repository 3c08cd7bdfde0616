#include "client/declarer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "client/grid.hpp"
#include "client/readable.hpp"
#include "model/healpix.hpp"
#include "model/name.hpp"

namespace tailrace::client {
namespace {

using model::GridKind;
using model::Region;
using model::Run;
using model::Runs;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

void check_name(const std::string& what, const std::string& name) {
  if (const auto complaint = model::name_complaint(name))
    refuse(fmt::format("{} \"{}\": the name {}", what, base::quotable(name), *complaint));
}

// A value that no array of that type can hold would never be found.
void check_fill_value(const model::Field& field) {
  if (!field.fill_value) return;
  const double fill = field.fill_value->number;
  if (!model::can_hold(field.type, fill))
    refuse(fmt::format("field \"{}\": expected a fill_value of its type, {}, but got {}", field.name,
                       model::name_of(field.type), fill));
}

[[noreturn]] void refuse_bounds_of_parts(const std::string& what) {
  refuse(what + ": computed_bounds needs all values, not this rank's part; give them, or the bounds");
}

Region empty_region(std::size_t dims) { return Region(std::vector<Runs>(dims)); }

Region whole_region(std::span<const std::int64_t> shape) {
  std::vector<Runs> runs;
  for (const std::int64_t extent : shape) runs.push_back({{0, extent}});
  return Region(std::move(runs));
}

std::vector<std::int64_t> counts_of(const Region& region) {
  return {region.counts().begin(), region.counts().end()};
}

bool has_dim(const std::vector<std::string>& dims, const std::string& dim) {
  return std::ranges::count(dims, dim) > 0;
}

// The projection of a block on some dimensions; without cells if it does not lie at the origin of the others.
Region part_of_block(const model::Grid& grid, const std::vector<std::string>& dims, const Region& block) {
  std::vector<Runs> runs;
  bool at_origin = true;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    const Runs& along = block.runs(d);
    if (has_dim(dims, grid.dims[d]))
      runs.push_back(along);
    else
      at_origin = at_origin &&
                  std::ranges::any_of(along, [](const Run& run) { return run.start == 0 && run.count > 0; });
  }
  return at_origin ? Region(std::move(runs)) : empty_region(dims.size());
}

std::int64_t cells_along(const model::Grid& grid, const std::vector<std::string>& dims, const Region& block) {
  std::int64_t cells = 1;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (has_dim(dims, grid.dims[d])) cells *= block.count(d);
  return cells;
}

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Declarer::Declarer(std::string component, int rank, int ranks) : rank_(rank), ranks_(ranks) {
  declarations_.component = std::move(component);
}

// An unusable name is reported by its position among the names of its kind.
void Declarer::check_next_name(const std::string& kind, const std::string& name, Named& before) {
  if (name.empty() || name.find('\0') != std::string::npos) {
    const std::string after = before.count == 0 ? "" : fmt::format(", after \"{}\"", before.last);
    refuse(fmt::format("{} number {}{}: expected a name, but {}", kind, before.count + 1, after,
                       name.empty()           ? "it is empty"
                       : name.front() == '\0' ? "it begins with a NUL character"
                                              : "it contains a NUL character"));
  }
  check_name(kind, name);
  ++before.count;
  before.last = name;
}

void Declarer::give_options(const std::map<std::string, std::string>& options) {
  given_options_ = options;
  declarations_.options.insert(options.begin(), options.end());
}

void Declarer::option(const std::string& name, const std::string& value) {
  if (const auto given = given_options_.extract(name); !given.empty()) {
    // `start` has replaced it already where it reads the configuration.
    if (name == "component" && given.mapped() != value)
      refuse(fmt::format(
          "option \"{}\" is the name of the component, \"{}\", in a configuration with `{{{}}}`; it "
          "cannot be {}",
          name, given.mapped(), name, value));
    declarations_.options.erase(name);
  }
  const auto [entry, added] = declarations_.options.emplace(name, value);
  if (!added && entry->second != value)
    refuse(fmt::format("option \"{}\" was given twice: {} and {}", name, entry->second, value));
}

void Declarer::grid(const GridArguments& grid) {
  check_next_name("grid", grid.name, grids_);
  check_shape(grid);
  if (declarations_.find_grid(grid.name)) refuse(fmt::format("grid \"{}\" was declared before", grid.name));
  const GridKind kind = kind_of(grid);
  Region region;
  std::vector<std::int64_t> local_shape = grid.shape;
  switch (kind) {
    case GridKind::replicated:
      region = rank_ == 0 ? whole_region(grid.shape) : empty_region(grid.dims.size());
      break;
    case GridKind::partial: region = whole_region(grid.shape); break;
    case GridKind::block:
      region = block_region(grid);
      local_shape = counts_of(region);
      break;
    case GridKind::indexed:
      region = indexed_region(grid);
      local_shape = counts_of(region);
      break;
  }
  add_grid({grid.name, kind, grid.dims, grid.shape, grid.indexed_dim, {}, {}}, std::move(region),
           std::move(local_shape));
}

void Declarer::add_block(const std::string& name, const std::vector<std::int64_t>& offset,
                         const std::vector<std::int64_t>& count) {
  const auto at = base::index(find_grid(name));
  const model::Grid& grid = declarations_.grids[at];
  if (grid.kind != GridKind::block)
    refuse(fmt::format(
        "grid \"{}\": a further block belongs to a grid that is declared with offset and count", name));
  const bool has_fields = std::ranges::any_of(
      declarations_.fields, [&](const model::Field& field) { return field.grid == static_cast<int>(at); });
  if (has_fields || !grid.coordinates.empty())
    refuse(fmt::format("grid \"{}\": all blocks are declared before its coordinates and fields", name));
  GridArguments arguments;
  arguments.name = name;
  arguments.dims = grid.dims;
  arguments.shape = grid.shape;
  arguments.offset = offset;
  arguments.count = count;
  further_blocks_[at].push_back(block_region(arguments));
  local_shapes_[at] = {cells(at)};
}

std::vector<Region> Declarer::blocks(std::size_t grid) const {
  std::vector<Region> all{regions_[grid]};
  if (const auto further = further_blocks_.find(grid); further != further_blocks_.end())
    all.insert(all.end(), further->second.begin(), further->second.end());
  return all;
}

std::size_t Declarer::most_blocks() const {
  std::size_t most = 1;
  for (const auto& [grid, further] : further_blocks_) most = std::max(most, 1 + further.size());
  return most;
}

std::int64_t Declarer::cells(std::size_t grid) const {
  std::int64_t cells = regions_[grid].size();
  if (const auto further = further_blocks_.find(grid); further != further_blocks_.end())
    for (const Region& block : further->second) cells += block.size();
  return cells;
}

// One shape, that of the arrays, unless there are several blocks: where all ranks hold the whole, only the
// first hands it over.
std::vector<std::vector<std::int64_t>> Declarer::shapes_of_blocks(std::size_t grid) const {
  if (!further_blocks_.contains(grid)) return {local_shapes_[grid]};
  std::vector<std::vector<std::int64_t>> shapes;
  for (const Region& block : blocks(grid)) shapes.push_back(counts_of(block));
  return shapes;
}

int Declarer::add_grid(model::Grid grid, Region region, std::vector<std::int64_t> local_shape) {
  declarations_.grids.push_back(std::move(grid));
  regions_.push_back(std::move(region));
  local_shapes_.push_back(std::move(local_shape));
  return static_cast<int>(declarations_.grids.size()) - 1;
}

int Declarer::find_grid(const std::string& name) const {
  const auto found = declarations_.find_grid(name);
  if (!found)
    refuse(fmt::format("grid \"{}\" was not declared.{}", name,
                       base::name_hint(name, declarations_.grid_names())));
  return *found;
}

// Adds a grid of some of the dimensions of another grid. If several ranks hold the same part of it, the one
// at the origin of the other dimensions hands it over.
int Declarer::part_of_grid(int whole, const std::vector<std::string>& dims) {
  const model::Grid grid = declarations_.grids[base::index(whole)];
  if (dims == grid.dims) return whole;
  const std::string name = fmt::format("{}[{}]", grid.name, fmt::join(dims, ","));
  if (const auto known = declarations_.find_grid(name)) return *known;
  model::Grid part;
  part.name = name;
  part.kind = grid.kind;
  if (std::find(dims.begin(), dims.end(), grid.indexed_dim) != dims.end())
    part.indexed_dim = grid.indexed_dim;
  part.dims = dims;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (has_dim(dims, grid.dims[d])) part.shape.push_back(grid.shape[d]);
  const std::vector<Region> all = blocks(static_cast<std::size_t>(whole));
  std::vector<Region> parts;
  for (const Region& block : all) parts.push_back(part_of_block(grid, dims, block));
  std::vector<std::int64_t> local_shape;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (has_dim(dims, grid.dims[d])) local_shape.push_back(all.front().count(d));
  const int added = add_grid(std::move(part), std::move(parts.front()), std::move(local_shape));
  if (parts.size() == 1) return added;
  const auto at = base::index(added);
  further_blocks_[at].assign(std::next(parts.begin()), parts.end());
  local_shapes_[at] = {cells(at)};
  return added;
}

std::vector<double> Declarer::handed_over(int whole, const std::vector<std::string>& dims,
                                          std::span<const double> values) const {
  const auto at = base::index(whole);
  if (!further_blocks_.contains(at) || values.empty()) return {values.begin(), values.end()};
  const model::Grid& grid = declarations_.grids[at];
  std::int64_t all = 0;
  for (const Region& block : blocks(at)) all += cells_along(grid, dims, block);
  const std::int64_t width = all == 0 ? 1 : std::ssize(values) / all;  // vertices
  std::vector<double> handed;
  for (const Region& block : blocks(at)) {
    const auto own = values.first(static_cast<std::size_t>(width * cells_along(grid, dims, block)));
    values = values.subspan(own.size());
    if (part_of_block(grid, dims, block).size() > 0) handed.insert(handed.end(), own.begin(), own.end());
  }
  return handed;
}

int Declarer::add_static(int grid, const std::string& name, model::DataType type) {
  model::Field field;
  field.name = name;
  field.grid = grid;
  field.type = type;
  field.is_static = true;
  return add_field(std::move(field));
}

void Declarer::give_static(int field, std::vector<std::byte> bytes) {
  const auto grid = base::index(declarations_.fields[base::index(field)].grid);
  if (cells(grid) > 0) statics_.push_back({field, std::move(bytes)});
}

void Declarer::coordinate(const std::string& grid_name, model::Coordinate coordinate,
                          std::span<const double> values, const CoordinateExtras& extras) {
  if (known_fields_.contains(grid_name) && !declarations_.find_grid(grid_name))
    return coordinate_of_field(grid_name, std::move(coordinate), values, extras);
  const auto grid = base::index(find_grid(grid_name));
  const std::string what = fmt::format("grid \"{}\": coordinate \"{}\"", grid_name, coordinate.name);
  check_name(fmt::format("grid \"{}\": coordinate", grid_name), coordinate.name);
  check_attributes(what, coordinate.attributes, model::DataType::float64);
  if (coordinate.dims.empty() && !extras.scalar) coordinate.dims = {coordinate.name};
  check_coordinate(what, coordinate, extras);
  const model::Grid& owner = declarations_.grids[grid];
  for (const model::Coordinate& known : owner.coordinates) {
    if (known.name == coordinate.name)
      refuse(fmt::format("coordinate \"{}\" of grid \"{}\" was declared before", coordinate.name, grid_name));
  }
  const CoordinateForm form = form_of(owner, shapes_of_blocks(grid), coordinate, std::ssize(values));
  check_readable(fmt::format("coordinate \"{}\" of grid \"{}\"", coordinate.name, grid_name), values);
  if (extras.vertices > 0) check_bounds(what, coordinate, values, extras);
  GivenCoordinate given{.grid = grid,
                        .coordinate = owner.coordinates.size(),
                        .form = form,
                        .values = {values.begin(), values.end()},
                        .bounds = {extras.bounds.begin(), extras.bounds.end()},
                        .vertices = extras.vertices,
                        .computed_bounds = extras.computed_bounds};
  if (extras.computed_bounds) {
    if (!form.whole) refuse_bounds_of_parts(what);
    if (given.has_values()) given.bounds = bounds_between(coordinate, what, values);
  }
  given_coordinates_.push_back(std::move(given));
  declarations_.grids[grid].coordinates.push_back(std::move(coordinate));
}

void Declarer::settle_coordinates() {
  std::vector<GivenCoordinate> own = given_coordinates_;
  for (GivenCoordinate& one : own)
    if (one.form.whole) one.form.part = false;
  settle_coordinates(std::move(own));
}

void Declarer::settle_coordinates(std::vector<GivenCoordinate> agreed) {
  TAILRACE_ASSERT(agreed.size() == given_coordinates_.size(), "the ranks agree on all coordinates");
  for (std::size_t number = 0; number < agreed.size(); ++number) {
    GivenCoordinate& given = given_coordinates_[number];
    // Not a reference: part_of_grid() adds grids.
    model::Coordinate coordinate = declarations_.grids[given.grid].coordinates[given.coordinate];
    const std::string grid_name = declarations_.grids[given.grid].name;
    if (agreed[number].form.whole) {
      GivenCoordinate& whole = given.has_values() ? given : agreed[number];
      coordinate.values = std::move(whole.values);
      coordinate.bounds = std::move(whole.bounds);
    } else {
      if (given.computed_bounds)
        refuse_bounds_of_parts(fmt::format("grid \"{}\": coordinate \"{}\"", grid_name, coordinate.name));
      if (!given.has_values()) given.vertices = agreed[number].vertices;
      const int part = part_of_grid(static_cast<int>(given.grid), coordinate.dims);
      given.values = handed_over(static_cast<int>(given.grid), coordinate.dims, given.values);
      given.bounds = handed_over(static_cast<int>(given.grid), coordinate.dims, given.bounds);
      const std::string name = fmt::format("{}:{}", grid_name, coordinate.name);
      coordinate.field = coordinate.standard_name == "healpix_index" ? add_numbers(part, name, given.values)
                                                                     : add_values(part, name, given.values);
      if (given.vertices > 0) coordinate.bounds_field = add_bounds(part, coordinate.name, given);
    }
    declarations_.grids[given.grid].coordinates[given.coordinate] = std::move(coordinate);
  }
  given_coordinates_.clear();
}

void Declarer::coordinate_of_field(const std::string& name, model::Coordinate coordinate,
                                   std::span<const double> values, const CoordinateExtras& extras) {
  model::Field& field = declarations_.fields[base::index(*declarations_.find_field(name))];
  const std::string what = fmt::format("field \"{}\": coordinate \"{}\"", name, coordinate.name);
  check_name(fmt::format("field \"{}\": coordinate", name), coordinate.name);
  check_attributes(what, coordinate.attributes, model::DataType::float64);
  check_coordinate(what, coordinate, extras);
  if (!extras.scalar)
    refuse(what +
           ": expected one value, of a scalar coordinate; what has dimensions belongs to the field's grid");
  const model::Grid& grid = declarations_.grids[base::index(field.grid)];
  std::vector<std::string> names = grid.dims;
  for (const model::Coordinate& one : grid.coordinates) names.push_back(one.name);
  for (const model::Coordinate& one : field.coordinates) names.push_back(one.name);
  if (std::ranges::count(names, coordinate.name) > 0) refuse(what + ": the field or its grid has it already");
  check_readable(what, values);
  if (extras.vertices > 0) check_bounds(what, coordinate, values, extras);
  coordinate.values.assign(values.begin(), values.end());
  coordinate.bounds.assign(extras.bounds.begin(), extras.bounds.end());
  field.coordinates.push_back(std::move(coordinate));
}

int Declarer::add_values(int grid, const std::string& name, std::span<const double> values) {
  const int field = add_static(grid, name, model::DataType::float64);
  give_static(field, bytes_of(values));
  return field;
}

int Declarer::add_numbers(int grid, const std::string& name, std::span<const double> values) {
  const int field = add_static(grid, name, model::DataType::int64);
  const std::vector<std::int64_t> numbers(values.begin(), values.end());
  give_static(field, bytes_of(std::span(numbers)));
  return field;
}

int Declarer::add_bounds(int part, const std::string& coordinate, const GivenCoordinate& given) {
  const auto p = base::index(part);
  const auto vertices = static_cast<std::int64_t>(given.vertices);
  model::Grid grid = declarations_.grids[p];
  const std::string name = fmt::format("{}:{}_bnds", grid.name, coordinate);
  grid.coordinates.clear();
  grid.mesh.reset();
  grid.place.reset();
  grid.mapping.reset();
  grid.name += fmt::format("[{}_vertices]", coordinate);
  grid.dims.push_back(coordinate + "_vertices");
  grid.shape.push_back(vertices);
  std::vector<Region> regions;
  for (const Region& block : blocks(p)) {
    std::vector<Runs> runs;
    for (std::size_t d = 0; d < block.rank(); ++d) runs.push_back(block.runs(d));
    runs.push_back({{0, vertices}});
    regions.emplace_back(std::move(runs));
  }
  std::vector<std::int64_t> local = local_shapes_[p];
  local.push_back(vertices);
  const int added = add_grid(std::move(grid), std::move(regions.front()), std::move(local));
  if (regions.size() > 1) {
    const auto at = base::index(added);
    further_blocks_[at].assign(std::next(regions.begin()), regions.end());
    local_shapes_[at] = {cells(at)};
  }
  return add_values(added, name, given.bounds);
}

void Declarer::healpix_grid(const HealpixArguments& healpix) {
  const std::vector<std::int64_t> cells = cells_of(healpix);
  grid(grid_of(healpix, cells));
  const std::vector<double> numbers(cells.begin(), cells.end());
  coordinate(healpix.name, model::healpix_index(healpix.cell_dim), numbers, {});
  grid_mapping(healpix.name, model::healpix_mapping(healpix.level, healpix.order == "nested"));
}

void Declarer::grid_mapping(const std::string& grid_name, model::GridMapping mapping) {
  const auto grid = base::index(find_grid(grid_name));
  const std::string what = fmt::format("grid \"{}\": grid_mapping", grid_name);
  check_name(what, mapping.name);
  check_attributes(what, mapping.attributes, model::DataType::int32);
  check_mapping(what, mapping);
  if (declarations_.grids[grid].mapping) refuse(fmt::format("{} was declared before", what));
  declarations_.grids[grid].mapping = std::move(mapping);
}

std::size_t Declarer::indexed_place(std::size_t grid) const {
  const model::Grid& owner = declarations_.grids[grid];
  return static_cast<std::size_t>(std::find(owner.dims.begin(), owner.dims.end(), owner.indexed_dim) -
                                  owner.dims.begin());
}

void Declarer::mesh(const std::string& grid_name, const MeshArguments& mesh) {
  const auto grid = base::index(find_grid(grid_name));
  if (declarations_.grids[grid].kind != GridKind::indexed)
    refuse(fmt::format("grid \"{}\" is not indexed; a mesh belongs to an indexed grid", grid_name));
  if (declarations_.grids[grid].mesh) refuse(fmt::format("grid \"{}\" has a mesh already", grid_name));
  check_name("mesh", mesh.name);
  check_mesh(mesh, regions_[grid].runs(indexed_place(grid)));
  model::Mesh declared = add_nodes(static_cast<int>(grid), mesh);
  declared.nodes_per_face = mesh.nodes_per_face;
  declared.connectivity_field =
      add_connectivity(grid, mesh.name, mesh.nodes_per_face, counter_clockwise(mesh));
  corner_nodes_.emplace_back(mesh);
  declarations_.grids[grid].mesh = std::move(declared);
}

void Declarer::mesh_location(const std::string& grid_name, const MeshPlaceArguments& place) {
  const auto grid = base::index(find_grid(grid_name));
  const model::Grid& owner = declarations_.grids[grid];
  if (owner.kind != GridKind::indexed)
    refuse(fmt::format("grid \"{}\" is not indexed; a mesh belongs to an indexed grid", grid_name));
  if (owner.mesh || owner.place) refuse(fmt::format("grid \"{}\" has a mesh already", grid_name));
  std::vector<std::string> meshes;
  model::MeshPlace declared;
  for (std::size_t g = 0; g < declarations_.grids.size(); ++g) {
    if (!declarations_.grids[g].mesh) continue;
    meshes.push_back(declarations_.grids[g].mesh->name);
    if (meshes.back() == place.mesh) declared.grid = static_cast<int>(g);
  }
  if (declared.grid < 0)
    refuse(fmt::format("mesh \"{}\" was not declared.{}", place.mesh, base::name_hint(place.mesh, meshes)));
  const std::size_t along = indexed_place(grid);
  declared.element = check_place(place, declarations_.grids[base::index(declared.grid)].mesh->nodes,
                                 regions_[grid].runs(along), owner.shape[along]);
  if (declared.element == model::MeshElement::edge)
    declared.connectivity_field = add_connectivity(grid, place.mesh, 2, place.edge_nodes);
  declarations_.grids[grid].place = declared;
}

const CornerNodes& Declarer::corner_nodes(const std::string& mesh) const {
  const auto found = std::ranges::find(corner_nodes_, mesh, &CornerNodes::mesh);
  TAILRACE_ASSERT(found != corner_nodes_.end(), "a mesh of this rank, before its nodes are forgotten");
  return *found;
}

int Declarer::add_connectivity(std::size_t grid, const std::string& name, std::int64_t width,
                               std::span<const std::int32_t> nodes) {
  const model::Grid& owner = declarations_.grids[grid];
  const std::size_t along = indexed_place(grid);
  const std::string field = fmt::format("{}:{}", owner.name, name);
  model::Grid connectivity;
  connectivity.name = fmt::format("{}[{}]", owner.name, name);
  connectivity.kind = GridKind::indexed;
  connectivity.indexed_dim = owner.indexed_dim;
  connectivity.dims = {owner.dims[along], fmt::format("{}_nodes", name)};
  connectivity.shape = {owner.shape[along], width};
  Region region({regions_[grid].runs(along), Runs{{0, width}}});
  const int part = add_grid(std::move(connectivity), std::move(region), {local_shapes_[grid][along], width});
  const int added = add_static(part, field, model::DataType::int32);
  give_static(added, bytes_of(nodes));
  return added;
}

// This rank hands over its own share of the nodes, no matter which rank gave them. So no message of `ready`
// carries nodes, and the files do not depend on the rank that gave them.
model::Mesh Declarer::add_nodes(int grid, const MeshArguments& mesh) {
  const std::string owner = declarations_.grids[base::index(grid)].name;
  const NodeShare share = node_share(mesh.nodes(), rank_, ranks_);
  model::Grid nodes;
  nodes.name = fmt::format("{}[{}_node]", owner, mesh.name);
  nodes.kind = GridKind::block;
  nodes.dims = {fmt::format("{}_node", mesh.name)};
  nodes.shape = {mesh.nodes()};
  const int part = add_grid(std::move(nodes), Region::of_box({{share.begin}, {share.count}}), {share.count});
  const auto add = [&](const char* axis) {
    return add_static(part, fmt::format("{}:{}_node_{}", owner, mesh.name, axis), model::DataType::float64);
  };
  model::Mesh declared;
  declared.name = mesh.name;
  declared.nodes = mesh.nodes();
  declared.in_parts = mesh.in_parts();
  declared.node_units = mesh.node_units;
  declared.node_x_field = add("x");
  declared.node_y_field = add("y");
  if (mesh.in_parts()) {
    given_nodes_.push_back({mesh.name,
                            mesh.nodes(),
                            declared.node_x_field,
                            declared.node_y_field,
                            {mesh.node_indices.begin(), mesh.node_indices.end()},
                            {mesh.node_x.begin(), mesh.node_x.end()},
                            {mesh.node_y.begin(), mesh.node_y.end()},
                            mesh.first_index});
    return declared;
  }
  const auto begin = static_cast<std::size_t>(share.begin), count = static_cast<std::size_t>(share.count);
  give_static(declared.node_x_field, bytes_of(mesh.node_x.subspan(begin, count)));
  give_static(declared.node_y_field, bytes_of(mesh.node_y.subspan(begin, count)));
  declared.nodes_digest = base::digest(std::as_bytes(mesh.node_y), base::digest(std::as_bytes(mesh.node_x)));
  return declared;
}

int Declarer::field(const std::string& grid_name, model::Field field) {
  check_next_name("field", field.name, fields_);
  check_field_attributes(field);
  return place_field(grid_name, std::move(field));
}

int Declarer::input(const std::string& grid_name, model::Field field) {
  check_next_name("input", field.name, inputs_);
  if (!grid_name.empty() && declarations_.grids[base::index(find_grid(grid_name))].kind == GridKind::partial)
    refuse(
        fmt::format("input \"{}\": grid \"{}\" is partial: each rank holds a contribution, which no file "
                    "has; expected a grid of the other kinds",
                    field.name, grid_name));
  field.is_input = true;
  return place_field(grid_name, std::move(field));
}

int Declarer::place_field(const std::string& grid_name, model::Field field) {
  check_fill_value(field);
  if (known_fields_.contains(field.name)) refuse(fmt::format("field \"{}\" was declared before", field.name));
  if (grid_name.empty()) {
    const auto scalars = declarations_.find_grid("");
    field.grid = scalars ? *scalars : add_grid({}, rank_ == 0 ? whole_region({}) : Region(), {});
  } else {
    field.grid = find_grid(grid_name);
  }
  return add_field(std::move(field));
}

void Declarer::add_namesake(int field, const std::string& name, int grid) {
  const auto f = base::index(field);
  model::Field copy = declarations_.fields[f];
  copy.name = name;
  copy.grid = grid;
  if (namesakes_.size() <= f) namesakes_.resize(f + 1);
  namesakes_[f].push_back(add_field(std::move(copy)));
}

int Declarer::add_field(model::Field field) {
  known_fields_.insert(field.name);
  declarations_.fields.push_back(std::move(field));
  return static_cast<int>(declarations_.fields.size()) - 1;
}

}  // namespace tailrace::client
