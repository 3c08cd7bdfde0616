#include "output.hpp"

#include <numbers>

namespace igcm::model {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }
constexpr double degrees = 180 / std::numbers::pi;

// Longitudes or latitudes of the entries that are chosen by local number.
template <class Chosen>
Field coordinate(const std::vector<grid::Vec3>& positions, const Chosen& chosen, bool longitude) {
  Field values;
  for (const auto k : chosen) {
    const grid::Vec3 p = positions[index(k)];
    values.push_back((longitude ? grid::longitude(p) : grid::latitude(p)) * degrees);
  }
  return values;
}

Numbers first(std::int64_t count) {
  Numbers numbers(index(count));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<std::int64_t>(k);
  return numbers;
}

std::span<const double> own(const Field& field, std::int64_t count) { return {field.data(), index(count)}; }

}  // namespace

Output::Output(tailrace::Session& session, const Part& part, ShallowWater& model)
    : io_(session), part_(part), model_(model) {
  declare_grids();
  declare_fields();
}

void Output::declare_grids() {
  const grid::Grid& g = part_.grid;
  const auto declare = [&](const char* name, const char* dim, std::int64_t all, const Numbers& global,
                           const std::vector<grid::Vec3>& positions, const auto& chosen) {
    io_.grid({.name = name, .dims = {dim}, .shape = {all}, .indexed_dim = dim, .indices = global});
    for (const bool lon : {true, false})
      io_.coordinate(name,
                     {.name = std::string(dim) + (lon ? "_lon" : "_lat"),
                      .dims = {dim},
                      .units = lon ? "degrees_east" : "degrees_north",
                      .standard_name = lon ? "longitude" : "latitude"},
                     coordinate(positions, chosen, lon));
  };
  const Numbers vertices = first(part_.own_vertices), edges = first(part_.own_edges);
  Numbers global(part_.vertex_numbers.begin(), part_.vertex_numbers.begin() + part_.own_vertices);
  declare("hexagons", "cell", g.all_vertices, global, g.vertex, vertices);

  // Corners of own hexagons, wherever their own rank is.
  Field x, y;
  Numbers node_numbers;
  for (std::size_t c = 0; c < part_.cell_numbers.size(); ++c) node_numbers.push_back(part_.cell_numbers[c]);
  const Numbers all = first(std::ssize(part_.cell_numbers));
  x = coordinate(g.cell_centre, all, true);
  y = coordinate(g.cell_centre, all, false);
  std::vector<std::int32_t> faces;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    for (const std::int32_t c : g.cells_of_vertex[v])
      faces.push_back(c < 0 ? -1 : part_.cell_numbers[index(c)]);
  io_.mesh("hexagons", {.node_x = x,
                        .node_y = y,
                        .nodes_per_face = 6,
                        .face_nodes = faces,
                        .global_nodes = g.all_cells,
                        .node_indices = node_numbers});

  global.assign(part_.edge_numbers.begin(), part_.edge_numbers.begin() + part_.own_edges);
  declare("edges", "edge", g.all_edges, global, g.edge_point, edges);
  std::vector<std::int32_t> ends;
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (const std::int32_t c : g.adjacent_cell_of_edge[e]) ends.push_back(part_.cell_numbers[index(c)]);
  io_.mesh_location("edges", {.location = "edge", .edge_nodes = ends});

  global.clear();
  for (const std::int32_t c : part_.own_cells) global.push_back(part_.cell_numbers[index(c)]);
  declare("corners", "corner", g.all_cells, global, g.cell_centre, part_.own_cells);
  io_.mesh_location("corners", {.location = "node"});
}

void Output::declare_fields() {
  const auto field = [&](const char* name, const char* grid, const char* units, const char* long_name) {
    return io_.field({.name = name, .grid = grid, .units = units, .long_name = long_name});
  };
  depth_ = field("h", "hexagons", "m", "depth of the fluid");
  surface_ = field("surface", "hexagons", "m", "height of the surface");
  bottom_ = field("bottom", "hexagons", "m", "height of the ground");
  area_ = field("area", "hexagons", "m2", "area of the hexagon");
  zonal_ = field("zonal_wind", "hexagons", "m s-1", "wind to the east");
  meridional_ = field("meridional_wind", "hexagons", "m s-1", "wind to the north");
  velocity_ = field("u", "edges", "m s-1", "wind normal to the edges of the hexagons");
  vorticity_ = field("vorticity", "corners", "s-1", "relative vorticity");
}

void Output::put(State& state) {
  const std::int64_t cells = part_.own_vertices;
  io_.put(area_, own(part_.grid.dual_area, cells));
  io_.put(bottom_, own(model_.bottom(), cells));
  io_.put(depth_, own(state.height, cells));
  if (io_.wants(surface_)) {
    Field surface(index(cells));
    for (std::size_t v = 0; v < surface.size(); ++v) surface[v] = state.height[v] + model_.bottom()[v];
    io_.put(surface_, surface);
  }
  io_.put(velocity_, own(state.velocity, part_.own_edges));
  // Both need the halo, which vorticity brings; wants is the same on all ranks.
  if (io_.wants(vorticity_) || io_.wants(zonal_) || io_.wants(meridional_)) {
    io_.put(vorticity_, model_.vorticity(state));
    put_wind(state);
  }
}

// The wind at the centre of a hexagon from the normal wind at its edges (Perot 2000).
void Output::put_wind(const State& state) {
  const grid::Grid& g = part_.grid;
  Field zonal(index(part_.own_vertices)), meridional(zonal.size());
  for (std::size_t v = 0; v < zonal.size(); ++v) {
    grid::Vec3 wind;
    for (int k = 0; k < g.degree[v]; ++k) {
      const std::size_t e = index(g.edges_of_vertex[v][k]);
      const double flow =
          g.edge_orientation[v][k] * g.dual_edge_length[e] * state.velocity[e] * g.options.radius;
      wind += (flow / g.dual_area[v]) * (g.edge_point[e] - g.vertex[v]);
    }
    zonal[v] = grid::dot(wind, grid::east(g.vertex[v]));
    meridional[v] = grid::dot(wind, grid::north(g.vertex[v]));
  }
  io_.put(zonal_, zonal);
  io_.put(meridional_, meridional);
}

void Output::checkpoint(const State& state) {
  if (!io_.checkpoint_due()) return;
  io_.put(depth_, own(state.height, part_.own_vertices));
  io_.put(velocity_, own(state.velocity, part_.own_edges));
  io_.checkpoint();
}

void Output::restore(State& state) {
  io_.get(depth_, std::span<double>(state.height.data(), index(part_.own_vertices)));
  io_.get(velocity_, std::span<double>(state.velocity.data(), index(part_.own_edges)));
}

}  // namespace igcm::model
