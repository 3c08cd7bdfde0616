#include "declaring.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace player {
namespace {

// A strip of triangles: cell i has the nodes i, i + 1, i + 2.
void declare_mesh(tailrace::Session& session, const Grid& grid, const Part& part) {
  const auto dim = static_cast<std::size_t>(std::find(grid.dims.begin(), grid.dims.end(), grid.indexed_dim) -
                                            grid.dims.begin());
  std::vector<std::int32_t> faces;
  std::set<std::int64_t> own;
  for (const std::int64_t cell : part.indices[dim]) {
    for (std::int32_t corner = 0; corner < 3; ++corner) {
      faces.push_back(static_cast<std::int32_t>(cell) + corner);
      own.insert(cell + corner);
    }
  }
  const std::int64_t all = grid.shape[dim] + 2;
  std::vector<std::int64_t> nodes(own.rbegin(), own.rend());  // in parts they may have any order
  if (!grid.mesh_in_parts) {
    nodes.resize(static_cast<std::size_t>(all));
    std::iota(nodes.begin(), nodes.end(), std::int64_t{0});
  }
  std::vector<double> x, y;
  for (const std::int64_t node : nodes) {
    x.push_back(0.5 * static_cast<double>(node));
    y.push_back(node % 2 == 0 ? 0.0 : 1.0);
  }
  tailrace::MeshSpec mesh{.name = "mesh", .node_x = x, .node_y = y, .nodes_per_face = 3, .face_nodes = faces};
  mesh.node_units = grid.node_units;
  if (grid.mesh_in_parts) mesh.global_nodes = all;
  if (grid.mesh_in_parts) mesh.node_indices = nodes;
  session.mesh(grid.name, mesh);
}

void declare_location(tailrace::Session& session, const Grid& grid, const Part& part) {
  const auto dim = static_cast<std::size_t>(std::find(grid.dims.begin(), grid.dims.end(), grid.indexed_dim) -
                                            grid.dims.begin());
  std::vector<std::int32_t> nodes;
  for (const std::int64_t edge : part.indices[dim])
    for (std::int32_t end = 0; end < 2; ++end) nodes.push_back(static_cast<std::int32_t>(edge) + end);
  tailrace::MeshLocationSpec spec{.mesh = "mesh", .location = grid.mesh_location, .edge_nodes = {}};
  if (grid.mesh_location == "edge") spec.edge_nodes = nodes;
  session.mesh_location(grid.name, spec);
}

// Global indices of the cells, in C order: of the block, or of the whole.
std::vector<std::int64_t> places_along(const Grid& grid, const Part& block,
                                       const std::vector<std::string>& dims, bool part) {
  std::vector<std::int64_t> places{0};
  for (const std::string& along : dims) {
    const auto dim =
        static_cast<std::size_t>(std::find(grid.dims.begin(), grid.dims.end(), along) - grid.dims.begin());
    std::vector<std::int64_t> indices = block.indices.at(dim), next;
    if (!part) {
      indices.resize(static_cast<std::size_t>(grid.shape.at(dim)));
      std::iota(indices.begin(), indices.end(), std::int64_t{0});
    }
    for (const std::int64_t place : places)
      for (const std::int64_t index : indices) next.push_back(place * grid.shape.at(dim) + index);
    places = std::move(next);
  }
  return places;
}

void declare_coordinate(tailrace::Session& session, const Grid& grid, const Part& part,
                        const Coordinate& coordinate) {
  std::vector<std::string> dims = coordinate.spec.dims;
  if (dims.empty() && !coordinate.spec.scalar) dims = {coordinate.spec.name};
  std::vector<std::int64_t> places = places_along(grid, part, dims, coordinate.part);
  for (const Part& block : part.further) {
    if (!coordinate.part) break;
    const auto more = places_along(grid, block, dims, true);
    places.insert(places.end(), more.begin(), more.end());
  }
  std::vector<double> values, bounds;
  for (const std::int64_t place : places) {
    values.push_back(coordinate.first + coordinate.spacing * static_cast<double>(place));
    for (std::size_t v = 0; v < coordinate.vertices; ++v)
      bounds.push_back(values.back() +
                       coordinate.spacing *
                           (static_cast<double>(v) / static_cast<double>(coordinate.vertices - 1) - 0.5));
  }
  tailrace::CoordinateSpec spec = coordinate.spec;
  spec.bounds = bounds;
  session.coordinate(grid.name, spec, values);
}

}  // namespace

void declare_grid(tailrace::Session& session, const Grid& grid, const Part& part) {
  tailrace::GridSpec spec;
  spec.name = grid.name;
  spec.dims = grid.dims;
  spec.shape = grid.shape;
  for (std::size_t dim = 0; dim < grid.dims.size(); ++dim) {
    if (grid.kind == "block") {
      spec.offset.push_back(part.indices[dim].empty() ? 0 : part.indices[dim].front());
      spec.count.push_back(part.count()[dim]);
    }
    if (grid.kind == "indexed" && grid.dims[dim] == grid.indexed_dim) {
      spec.indexed_dim = grid.indexed_dim;
      spec.indices = part.indices[dim];
    }
  }
  session.grid(spec);
  for (const Part& block : part.further) {
    std::vector<std::int64_t> offset;
    for (const auto& indices : block.indices) offset.push_back(indices.empty() ? 0 : indices.front());
    session.add_block(grid.name, offset, block.count());
  }
  if (grid.mapping) session.grid_mapping(grid.name, *grid.mapping);
  if (grid.mesh) declare_mesh(session, grid, part);
  if (!grid.mesh_location.empty()) declare_location(session, grid, part);
  for (const Coordinate& coordinate : grid.coordinates) declare_coordinate(session, grid, part, coordinate);
}

}  // namespace player
