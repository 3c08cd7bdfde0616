#include "client/declarer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
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

void check_attributes(const std::string& owner, const model::Attributes& attributes) {
  for (const auto& [name, value] : attributes) {
    if (const auto complaint = model::attribute_name_complaint(name))
      refuse(fmt::format("{}: attribute \"{}\" {}", owner, base::quotable(name), *complaint));
    if (const std::size_t valid = base::valid_utf8(value); valid < value.size())
      refuse(fmt::format("{}: the value of attribute \"{}\" is not UTF-8 from byte {} on", owner, name,
                         valid + 1));
  }
}

constexpr std::int64_t most_nodes_per_face = 65536;

// So that every number of cells, and of bytes of them, fits its type.
void check_size(const GridArguments& grid) {
  std::int64_t bytes = sizeof(double);
  for (const std::int64_t extent : grid.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      refuse(fmt::format("grid \"{}\" has the extents {}: more than 2^60 cells", grid.name,
                         fmt::join(grid.shape, " x ")));
}

Region empty_region(std::size_t dims) { return Region(std::vector<Runs>(dims)); }

Region whole_region(std::span<const std::int64_t> shape) {
  std::vector<Runs> runs;
  for (const std::int64_t extent : shape) runs.push_back({{0, extent}});
  return Region(std::move(runs));
}

GridKind kind_of(const GridArguments& grid) {
  if (grid.partial) return GridKind::partial;
  if (!grid.indexed_dim.empty()) return GridKind::indexed;
  return grid.offset.empty() && grid.count.empty() ? GridKind::replicated : GridKind::block;
}

void check_shape(const GridArguments& grid) {
  if (grid.dims.size() > Declarer::most_dims)
    refuse(fmt::format("grid \"{}\" has {} dims; at most {} are possible", grid.name, grid.dims.size(),
                       Declarer::most_dims));
  if (grid.dims.size() != grid.shape.size())
    refuse(fmt::format("grid \"{}\" has {} dims ({}) but a shape of {} extents ({})", grid.name,
                       grid.dims.size(), fmt::join(grid.dims, ", "), grid.shape.size(),
                       fmt::join(grid.shape, ", ")));
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (grid.shape[d] < 1)
      refuse(fmt::format("grid \"{}\": dim {} has the extent {}; at least 1 is expected", grid.name,
                         grid.dims[d], grid.shape[d]));
    if (std::count(grid.dims.begin(), grid.dims.end(), grid.dims[d]) > 1)
      refuse(fmt::format("grid \"{}\" names the dim {} twice", grid.name, grid.dims[d]));
    check_name(fmt::format("grid \"{}\": dim", grid.name), grid.dims[d]);
  }
  check_size(grid);
}

Region block_region(const GridArguments& grid) {
  const std::size_t rank = grid.dims.size();
  if (grid.offset.size() != rank || grid.count.size() != rank)
    refuse(fmt::format("grid \"{}\" has {} dims, but {} offsets and {} counts", grid.name, rank,
                       grid.offset.size(), grid.count.size()));
  for (std::size_t d = 0; d < rank; ++d) {
    if (grid.offset[d] < 0 || grid.count[d] < 0 || grid.count[d] > grid.shape[d] - grid.offset[d])
      refuse(fmt::format(
          "grid \"{}\": along {} this rank's block starts at {} (counted from 0) and has {} cells, but "
          "the dim has {}",
          grid.name, grid.dims[d], grid.offset[d], grid.count[d], grid.shape[d]));
  }
  return Region::of_box({grid.offset, grid.count});
}

Region indexed_region(const GridArguments& grid) {
  const auto dim = std::find(grid.dims.begin(), grid.dims.end(), grid.indexed_dim);
  if (dim == grid.dims.end())
    refuse(fmt::format("grid \"{}\" has no dim \"{}\" to be indexed.{}", grid.name, grid.indexed_dim,
                       base::name_hint(grid.indexed_dim, grid.dims)));
  const auto along = static_cast<std::size_t>(dim - grid.dims.begin());
  for (const std::int64_t index : grid.indices) {
    if (index < 0 || index >= grid.shape[along])
      refuse(fmt::format("grid \"{}\": the index {} (counted from 0) is outside dim {}, which has {} cells",
                         grid.name, index, *dim, grid.shape[along]));
  }
  std::vector<Runs> runs;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    runs.push_back(d == along ? model::compress(grid.indices) : Runs{{0, grid.shape[d]}});
  return Region(std::move(runs));
}

std::vector<std::int64_t> counts_of(const Region& region) {
  return {region.counts().begin(), region.counts().end()};
}

template <class T>
std::vector<std::byte> bytes_of(std::span<const T> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Declarer::Declarer(std::string component, int rank) : rank_(rank) {
  declarations_.component = std::move(component);
}

// Which one it was, where its name cannot say so.
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

void Declarer::option(const std::string& name, const std::string& value) {
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
  model::Grid declared;
  declared.name = grid.name;
  declared.kind = kind;
  declared.dims = grid.dims;
  declared.shape = grid.shape;
  declared.indexed_dim = grid.indexed_dim;
  add_grid(std::move(declared), std::move(region), std::move(local_shape));
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

// The grid of some of another's dims. Where several ranks hold the same part of it, the one at the origin of
// the other dims hands it over.
int Declarer::part_of_grid(int whole, const std::vector<std::string>& dims) {
  const model::Grid grid = declarations_.grids[static_cast<std::size_t>(whole)];
  if (dims == grid.dims) return whole;
  const std::string name = fmt::format("{}[{}]", grid.name, fmt::join(dims, ","));
  if (const auto known = declarations_.find_grid(name)) return *known;
  const Region region = regions_[static_cast<std::size_t>(whole)];
  model::Grid part;
  part.name = name;
  part.kind = grid.kind;
  if (std::find(dims.begin(), dims.end(), grid.indexed_dim) != dims.end())
    part.indexed_dim = grid.indexed_dim;
  part.dims = dims;
  std::vector<Runs> runs;
  std::vector<std::int64_t> local_shape;
  bool at_origin = true;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (std::find(dims.begin(), dims.end(), grid.dims[d]) != dims.end()) {
      part.shape.push_back(grid.shape[d]);
      runs.push_back(region.runs(d));
      local_shape.push_back(region.count(d));
    } else {
      const Runs& along = region.runs(d);
      at_origin = at_origin && std::any_of(along.begin(), along.end(),
                                           [](const Run& run) { return run.start == 0 && run.count > 0; });
    }
  }
  Region held = at_origin ? Region(std::move(runs)) : empty_region(dims.size());
  return add_grid(std::move(part), std::move(held), std::move(local_shape));
}

int Declarer::add_static(int grid, const std::string& name, model::DataType type,
                         std::vector<std::byte> bytes) {
  model::Field field;
  field.name = name;
  field.grid = grid;
  field.type = type;
  field.is_static = true;
  const int index = add_field(std::move(field));
  if (regions_[static_cast<std::size_t>(grid)].size() > 0) statics_.push_back({index, std::move(bytes)});
  return index;
}

void Declarer::coordinate(const std::string& grid_name, model::Coordinate coordinate,
                          std::span<const double> values) {
  const auto grid = static_cast<std::size_t>(find_grid(grid_name));
  const std::string what = fmt::format("grid \"{}\": coordinate", grid_name);
  check_name(what, coordinate.name);
  check_attributes(fmt::format("{} \"{}\"", what, coordinate.name), coordinate.attributes);
  if (coordinate.dims.empty()) coordinate.dims = {coordinate.name};
  std::int64_t whole = 1, local = 1;
  bool indexed = false;
  const model::Grid& owner = declarations_.grids[grid];
  for (const std::string& dim : coordinate.dims) {
    const auto at = std::find(owner.dims.begin(), owner.dims.end(), dim);
    if (at == owner.dims.end())
      refuse(fmt::format("coordinate \"{}\": grid \"{}\" has no dim \"{}\".{}", coordinate.name, grid_name,
                         dim, base::name_hint(dim, owner.dims)));
    const auto d = static_cast<std::size_t>(at - owner.dims.begin());
    whole *= owner.shape[d];
    local *= local_shapes_[grid][d];
    indexed = indexed || dim == owner.indexed_dim;
  }
  for (const model::Coordinate& known : owner.coordinates) {
    if (known.name == coordinate.name)
      refuse(fmt::format("coordinate \"{}\" of grid \"{}\" was declared before", coordinate.name, grid_name));
  }
  const auto given = static_cast<std::int64_t>(values.size());
  const bool is_whole = given == whole && !indexed;
  if (!is_whole && given != local)
    refuse(fmt::format(
        "coordinate \"{}\" of grid \"{}\" has {} values; {} (the whole) or {} (this rank's part) are "
        "expected",
        coordinate.name, grid_name, given, whole, local));
  if (is_whole) {
    coordinate.values.assign(values.begin(), values.end());
  } else {
    const int part = part_of_grid(static_cast<int>(grid), coordinate.dims);
    coordinate.field = add_static(part, fmt::format("{}:{}", grid_name, coordinate.name),
                                  model::DataType::float64, bytes_of(values));
  }
  declarations_.grids[grid].coordinates.push_back(std::move(coordinate));
}

void Declarer::mesh(const std::string& grid_name, const MeshArguments& mesh) {
  const auto grid = static_cast<std::size_t>(find_grid(grid_name));
  if (declarations_.grids[grid].kind != GridKind::indexed)
    refuse(fmt::format("grid \"{}\" is not indexed; a mesh belongs to an indexed grid", grid_name));
  if (declarations_.grids[grid].mesh) refuse(fmt::format("grid \"{}\" has a mesh already", grid_name));
  check_name("mesh", mesh.name);
  if (mesh.node_x.size() != mesh.node_y.size())
    refuse(fmt::format("mesh \"{}\": {} values of node_x but {} of node_y", mesh.name, mesh.node_x.size(),
                       mesh.node_y.size()));
  if (mesh.nodes_per_face < 3)
    refuse(fmt::format("mesh \"{}\": nodes_per_face is {}; a face has at least 3", mesh.name,
                       mesh.nodes_per_face));
  const auto nodes = static_cast<std::int64_t>(mesh.node_x.size());
  for (const std::int32_t node : mesh.face_nodes) {
    if (node < -1 || node >= nodes)
      refuse(fmt::format("mesh \"{}\": the node number {} is outside 0 to {} (or -1 for none)", mesh.name,
                         node, nodes - 1));
  }
  const model::Grid& owner = declarations_.grids[grid];
  const auto along = static_cast<std::size_t>(
      std::find(owner.dims.begin(), owner.dims.end(), owner.indexed_dim) - owner.dims.begin());
  const std::int64_t faces = local_shapes_[grid][along];
  if (mesh.nodes_per_face > most_nodes_per_face)
    refuse(fmt::format("mesh \"{}\": nodes_per_face is {}; at most {} are possible", mesh.name,
                       mesh.nodes_per_face, most_nodes_per_face));
  if (static_cast<std::int64_t>(mesh.face_nodes.size()) != faces * mesh.nodes_per_face)
    refuse(fmt::format("mesh \"{}\": face_nodes has {} values; {} faces on this rank x {} nodes are expected",
                       mesh.name, mesh.face_nodes.size(), faces, mesh.nodes_per_face));
  model::Grid connectivity;
  connectivity.name = fmt::format("{}[{}]", grid_name, mesh.name);
  connectivity.kind = GridKind::indexed;
  connectivity.indexed_dim = owner.indexed_dim;
  connectivity.dims = {owner.dims[along], fmt::format("{}_nodes_per_face", mesh.name)};
  connectivity.shape = {owner.shape[along], mesh.nodes_per_face};
  Region region({regions_[grid].runs(along), Runs{{0, mesh.nodes_per_face}}});
  const int part = add_grid(std::move(connectivity), std::move(region), {faces, mesh.nodes_per_face});
  model::Mesh declared;
  declared.name = mesh.name;
  declared.node_x.assign(mesh.node_x.begin(), mesh.node_x.end());
  declared.node_y.assign(mesh.node_y.begin(), mesh.node_y.end());
  declared.nodes_per_face = mesh.nodes_per_face;
  declared.connectivity_field = add_static(part, fmt::format("{}:{}", grid_name, mesh.name),
                                           model::DataType::int32, bytes_of(mesh.face_nodes));
  declarations_.grids[grid].mesh = std::move(declared);
}

int Declarer::field(const std::string& grid_name, model::Field field) {
  check_next_name("field", field.name, fields_);
  check_attributes(fmt::format("field \"{}\"", field.name), field.attributes);
  if (known_fields_.contains(field.name)) refuse(fmt::format("field \"{}\" was declared before", field.name));
  if (grid_name.empty()) {
    const auto scalars = declarations_.find_grid("");
    field.grid = scalars ? *scalars : add_grid({}, rank_ == 0 ? whole_region({}) : Region(), {});
  } else {
    field.grid = find_grid(grid_name);
  }
  return add_field(std::move(field));
}

int Declarer::add_field(model::Field field) {
  known_fields_.insert(field.name);
  declarations_.fields.push_back(std::move(field));
  return static_cast<int>(declarations_.fields.size()) - 1;
}

}  // namespace tailrace::client
