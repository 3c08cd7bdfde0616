#include "output.hpp"

#include <numbers>

namespace igcm::model {
namespace {

using Numbers = std::vector<std::int64_t>;

std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }
constexpr double degrees = 180 / std::numbers::pi;

// Longitudes or latitudes of the first entries.
Field coordinate(const std::vector<grid::Vec3>& positions, std::int64_t count, bool longitude) {
  Field values;
  for (std::size_t k = 0; k < index(count); ++k)
    values.push_back((longitude ? grid::longitude(positions[k]) : grid::latitude(positions[k])) * degrees);
  return values;
}

std::span<const double> own(const Field& field, std::int64_t count) { return {field.data(), index(count)}; }

}  // namespace

Output::Output(tailrace::Session& session, const Part& part, ShallowWater& model, Tracers* tracers)
    : io_(session), part_(part), model_(model), tracers_(tracers) {
  declare_grids();
  declare_fields();
  if (tracers_ != nullptr) declare_columns();
}

void Output::declare_grids() {
  const CGrid& g = model_.grid();
  const bool hexagons = g.kind == Volumes::hexagons;
  const auto declare = [&](const char* name, const char* dim, std::int64_t all,
                           const std::vector<std::int32_t>& numbers, std::int64_t count,
                           const std::vector<grid::Vec3>& positions) {
    const Numbers global(numbers.begin(), numbers.begin() + count);
    io_.grid({.name = name, .dims = {dim}, .shape = {all}, .indexed_dim = dim, .indices = global});
    for (const bool lon : {true, false})
      io_.coordinate(name,
                     {.name = std::string(dim) + (lon ? "_lon" : "_lat"),
                      .dims = {dim},
                      .units = lon ? "degrees_east" : "degrees_north",
                      .standard_name = lon ? "longitude" : "latitude"},
                     coordinate(positions, count, lon));
  };
  const grid::Grid& sphere = part_.grid;
  const std::int64_t volumes = hexagons ? sphere.all_vertices : sphere.all_cells;
  const std::int64_t corners = hexagons ? sphere.all_cells : sphere.all_vertices;
  const auto corner_number = [&](std::int32_t c) { return c < 0 ? -1 : g.corner_numbers[index(c)]; };

  const char* name = hexagons ? "hexagons" : "triangles";
  declare(name, "cell", volumes, g.volume_numbers, g.own_volumes, g.centre);
  // Corners of own volumes, wherever their own rank is.
  const Field x = coordinate(g.corner, g.corners(), true), y = coordinate(g.corner, g.corners(), false);
  const std::int64_t most = hexagons ? 6 : 3;
  std::vector<std::int32_t> faces;
  for (std::size_t v = 0; v < index(g.own_volumes); ++v)
    for (std::size_t k = 0; k < index(most); ++k) faces.push_back(corner_number(g.corners_of_volume[v][k]));
  const Numbers nodes(g.corner_numbers.begin(), g.corner_numbers.end());
  io_.mesh(name, {.node_x = x,
                  .node_y = y,
                  .nodes_per_face = most,
                  .face_nodes = faces,
                  .global_nodes = corners,
                  .node_indices = nodes});

  declare("edges", "edge", sphere.all_edges, part_.edge_numbers, g.own_edges, g.edge_point);
  std::vector<std::int32_t> ends;
  for (std::size_t e = 0; e < index(g.own_edges); ++e)
    for (const std::int32_t c : g.corners_of_edge[e]) ends.push_back(corner_number(c));
  io_.mesh_location("edges", {.location = "edge", .edge_nodes = ends});

  declare("corners", "corner", corners, g.corner_numbers, g.own_corners, g.corner);
  io_.mesh_location("corners", {.location = "node"});
}

void Output::declare_fields() {
  const char* volumes = model_.grid().kind == Volumes::hexagons ? "hexagons" : "triangles";
  const auto field = [&](const char* name, const char* grid, const char* units, const char* long_name) {
    return io_.field({.name = name, .grid = grid, .units = units, .long_name = long_name});
  };
  depth_ = field("h", volumes, "m", "depth of the fluid");
  surface_ = field("surface", volumes, "m", "height of the surface");
  bottom_ = field("bottom", volumes, "m", "height of the ground");
  area_ = field("area", volumes, "m2", "area of the cell");
  zonal_ = field("zonal_wind", volumes, "m s-1", "wind to the east");
  meridional_ = field("meridional_wind", volumes, "m s-1", "wind to the north");
  velocity_ = field("u", "edges", "m s-1", "wind normal to the edges of the cells");
  vorticity_ = field("vorticity", "corners", "s-1", "relative vorticity");
}

// Columns of levels over the points of the icosahedral grid, with the hexagons as their cells.
void Output::declare_columns() {
  const grid::Grid& g = part_.grid;
  const std::int64_t count = part_.own_vertices;
  const Numbers global(part_.vertex_numbers.begin(), part_.vertex_numbers.begin() + count);
  io_.grid({.name = "columns",
            .dims = {"level", "column"},
            .shape = {tracers_->levels(), g.all_vertices},
            .indexed_dim = "column",
            .indices = global});
  for (const bool lon : {true, false})
    io_.coordinate("columns",
                   {.name = lon ? "column_lon" : "column_lat",
                    .dims = {"column"},
                    .units = lon ? "degrees_east" : "degrees_north",
                    .standard_name = lon ? "longitude" : "latitude"},
                   coordinate(g.vertex, count, lon));
  io_.coordinate("columns",
                 {.name = "column_area",
                  .dims = {"column"},
                  .units = "m2",
                  .standard_name = "cell_area",
                  .long_name = "area with which air and tracer are conserved",
                  .measure = "area"},
                 tracers_->areas());
  Field levels(index(tracers_->levels()));
  for (std::size_t k = 0; k < levels.size(); ++k) levels[k] = static_cast<double>(k + 1);
  io_.coordinate("columns", {.name = "level", .units = "1", .long_name = "number of the level"}, levels);
  const auto cells = std::ssize(part_.cell_numbers);
  const Field x = coordinate(g.cell_centre, cells, true), y = coordinate(g.cell_centre, cells, false);
  std::vector<std::int32_t> faces;
  for (std::size_t v = 0; v < index(count); ++v)
    for (const std::int32_t c : g.cells_of_vertex[v])
      faces.push_back(c < 0 ? -1 : part_.cell_numbers[index(c)]);
  const Numbers nodes(part_.cell_numbers.begin(), part_.cell_numbers.end());
  io_.mesh("columns", {.name = "columns_mesh",
                       .node_x = x,
                       .node_y = y,
                       .nodes_per_face = 6,
                       .face_nodes = faces,
                       .global_nodes = g.all_cells,
                       .node_indices = nodes});
  using tailrace::Type;
  tracer_ = io_.field({.name = "tracer",
                       .grid = "columns",
                       .type = Type::float32,
                       .units = "g kg-1",
                       .long_name = "mixing ratio of the tracer"});
  tracer_state_ = io_.field({.name = "tracer_state",
                             .grid = "columns",
                             .units = "g kg-1",
                             .long_name = "mixing ratio of the tracer, exactly"});
  air_state_ = io_.field(
      {.name = "air_state", .grid = "columns", .units = "1", .long_name = "air by that of the beginning"});
}

void Output::put_tracers() {
  if (tracers_ == nullptr) return;
  if (io_.wants(tracer_)) {
    const Field values = tracers_->ratio();
    io_.put(tracer_, std::vector<float>(values.begin(), values.end()));
  }
  put_state_of_tracers();
}

void Output::put_state_of_tracers() {
  if (tracers_ == nullptr) return;
  if (io_.wants(tracer_state_)) io_.put(tracer_state_, tracers_->ratio());
  if (io_.wants(air_state_)) io_.put(air_state_, tracers_->air());
}

void Output::put(State& state) {
  const CGrid& g = model_.grid();
  io_.put(area_, own(g.area, g.own_volumes));
  io_.put(bottom_, own(model_.bottom(), g.own_volumes));
  io_.put(depth_, own(state.height, g.own_volumes));
  if (io_.wants(surface_)) {
    Field surface(index(g.own_volumes));
    for (std::size_t v = 0; v < surface.size(); ++v) surface[v] = state.height[v] + model_.bottom()[v];
    io_.put(surface_, surface);
  }
  io_.put(velocity_, own(state.velocity, g.own_edges));
  // Both need the halo, which diagnose brings; wants is the same on all ranks.
  if (io_.wants(vorticity_) || io_.wants(zonal_) || io_.wants(meridional_)) {
    model_.diagnose(state);
    io_.put(vorticity_, own(model_.vorticity(), g.own_corners));
    put_wind(state);
  }
  put_tracers();
}

void Output::put_wind(const State& state) {
  const CGrid& g = model_.grid();
  Field zonal(index(g.own_volumes)), meridional(zonal.size());
  for (std::size_t v = 0; v < zonal.size(); ++v) {
    const grid::Vec3 wind = wind_in_volume(g, state.velocity, v);
    zonal[v] = grid::dot(wind, grid::east(g.centre[v]));
    meridional[v] = grid::dot(wind, grid::north(g.centre[v]));
  }
  io_.put(zonal_, zonal);
  io_.put(meridional_, meridional);
}

void Output::checkpoint(const State& state) {
  if (!io_.checkpoint_due()) return;
  io_.put(depth_, own(state.height, model_.grid().own_volumes));
  io_.put(velocity_, own(state.velocity, model_.grid().own_edges));
  put_state_of_tracers();
  io_.checkpoint();
}

void Output::restore(State& state) {
  io_.get(depth_, std::span<double>(state.height.data(), index(model_.grid().own_volumes)));
  io_.get(velocity_, std::span<double>(state.velocity.data(), index(model_.grid().own_edges)));
  if (tracers_ == nullptr) return;
  Field ratio(index(tracers_->levels() * part_.own_vertices)), air(ratio.size());
  io_.get(tracer_state_, ratio);
  io_.get(air_state_, air);
  tracers_->restore(ratio, air);
}

}  // namespace igcm::model
