#include "cf/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/index.hpp"
#include "cf/testing/layout_case.hpp"

namespace tailrace::cf {
namespace {

using namespace layout_case;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Layout, writes_coordinates_that_are_known_and_invents_none) {
  const DatasetLayout layout = Case().layout();
  EXPECT_THAT(dims(layout, "z"), ElementsAre("z"));
  EXPECT_EQ(attribute(layout, "z", "units"), "m");
  EXPECT_EQ(attribute(layout, "z", "long_name"), "z");
  EXPECT_THAT(constant(layout, "z"), ElementsAre(5.0, 15.0, 25.0));
  EXPECT_EQ(find(layout, "x"), nullptr);
}

TEST(Layout, makes_no_axis_of_values_without_order_or_with_gaps) {
  Case given;
  for (const std::vector<double>& values :
       {std::vector<double>{5, 15, 15}, {5, 25, 15}, {5, std::numeric_limits<double>::quiet_NaN(), 15}}) {
    given.declarations.grids[0].coordinates[0].values = values;
    given.declarations.grids[0].coordinates[0].odd.missing = values[1] != values[1] ? 1 : 0;
    const DatasetLayout layout = given.layout();
    EXPECT_THAT(dims(layout, "w"), ElementsAre("time_instant_5s", "z_index", "y", "x"));
    EXPECT_THAT(dims(layout, "z"), ElementsAre("z_index"));
    EXPECT_EQ(attribute(layout, "w", "coordinates"), "z");
    EXPECT_EQ(variable(layout, "z").fill_value.has_value(), values[1] != values[1]);
  }
}

TEST(Layout, names_coordinates_that_are_not_of_a_dim) {
  Case given;
  given.declarations.grids.push_back(make_grid("les[y,x]", {"y", "x"}, {4, 5}));
  given.declarations.fields.push_back(make_field("les:lat", 1, DataType::float64, true));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("lat", {"y", "x"}, {}, 2));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("height", {"z"}, {1.0, 2.0, 3.0}));
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lat height");
  EXPECT_EQ(attribute(layout, "lat", "coordinates"), "-");
  EXPECT_THAT(dims(layout, "lat"), ElementsAre("y", "x"));
  ASSERT_EQ(layout.variables.size(), 3u);  // w, w_mean, lat
  EXPECT_EQ(layout.variables[2].field, 2);
  EXPECT_EQ(layout.variables[2].plan, -1);
  EXPECT_THAT(layout.variables[2].shape, ElementsAre(4, 5));
  EXPECT_THAT(layout.variables[2].chunk, ElementsAre(4, 5));
  EXPECT_THAT(variable(layout, "lat").chunk, IsEmpty());
}

TEST(Layout, cuts_large_static_fields_into_chunks) {
  Case given;
  given.declarations.grids[0] = make_grid("les", {"y", "x"}, {2000, 1000});
  given.declarations.fields.push_back(make_field("les:lat", 0, DataType::float64, true));
  given.declarations.grids[0].coordinates = {make_coordinate("lat", {"y", "x"}, {}, 2)};
  const DatasetLayout layout = given.layout();
  EXPECT_THAT(layout.variables[2].chunk, ElementsAre(125, 1000));
  EXPECT_EQ(variable(layout, "lat").chunk, layout.variables[2].chunk);
}

TEST(Layout, rounds_no_coordinate_to_the_bound_of_a_file) {
  Case given;
  given.declarations.grids[0] = make_grid("les", {"y", "x"}, {2000, 1000});
  given.declarations.fields.push_back(make_field("les:lat", 0, DataType::float64, true));
  given.declarations.grids[0].coordinates = {make_coordinate("lat", {"y", "x"}, {}, 2)};
  given.file.entry.codec.keep.emplace().absolute = 1;
  EXPECT_FALSE(variable(given.layout(), "lat").codec.keep);
}

TEST(Layout, shares_dims_of_grids_only_where_they_are_the_same) {
  Case given;
  given.declarations.grids.push_back(make_grid("surface", {"y", "x"}, {4, 9}));
  given.declarations.fields.push_back(make_field("rain", 1));
  given.add_variable("rain", 2, 1, time::ReductionKind::mean);
  DatasetLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "w"), ElementsAre("time_instant_5s", "z", "y", "x_les"));
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "y", "x_surface"));
  given.declarations.grids[1] = make_grid("staggered", {"z", "y"}, {3, 4});
  given.declarations.grids[1].coordinates = {make_coordinate("z", {"z"}, {0.0, 10.0, 20.0})};
  layout = given.layout();
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "z_staggered", "y"));
  EXPECT_THAT(constant(layout, "z_staggered"), ElementsAre(0.0, 10.0, 20.0));
  EXPECT_THAT(constant(layout, "z_les"), ElementsAre(5.0, 15.0, 25.0));
  given.declarations.grids[1].coordinates = given.declarations.grids[0].coordinates;
  layout = given.layout();
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "z", "y"));
  EXPECT_EQ(layout.constants.size(), 1u);
}

TEST(Layout, shares_coordinates_in_parts_that_are_known_to_be_the_same) {
  Case given;
  given.declarations.grids.push_back(make_grid("surface", {"y", "x"}, {4, 5}));
  given.declarations.fields.push_back(make_field("rain", 1));
  given.add_variable("rain", 2, 1, time::ReductionKind::mean);
  for (int grid = 0; grid < 2; ++grid) {
    given.declarations.fields.push_back(make_field("lat", 1, DataType::float64, true));
    auto& coordinates = given.declarations.grids[base::index(grid)].coordinates;
    coordinates.push_back(make_coordinate("lat", {"y", "x"}, {}, 3 + grid));
    coordinates.back().digest = 77;
  }
  EXPECT_EQ(attribute(given.layout(), "rain", "coordinates"), "lat");
  given.declarations.grids[1].coordinates[0].digest = 78;
  EXPECT_EQ(attribute(given.layout(), "rain", "coordinates"), "lat_surface");
}

// Three grids of diagnostics with levels: the first and the last have the same.
TEST(Layout, gives_a_dim_to_each_coordinate_that_differs) {
  Case given;
  for (const std::string name : {"low", "high", "low_too"}) {
    model::Grid& grid =
        given.declarations.grids.emplace_back(make_grid("diagnostic " + name, {"z_level", "x"}, {2, 5}));
    const bool high = name == "high";
    grid.coordinates = {make_coordinate("z_level", {"z_level"}, {high ? 9.0 : 1.0, high ? 10.0 : 2.0})};
    given.declarations.fields.push_back(
        make_field(name, static_cast<int>(given.declarations.grids.size()) - 1));
    given.add_variable(name, static_cast<int>(given.declarations.fields.size()) - 1, 0,
                       time::ReductionKind::snapshot);
  }
  DatasetLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "low"), ElementsAre("time_instant_5s", "z_level_low", "x"));
  EXPECT_THAT(dims(layout, "high"), ElementsAre("time_instant_5s", "z_level_high", "x"));
  EXPECT_EQ(dims(layout, "low_too"), dims(layout, "low"));
  EXPECT_THAT(constant(layout, "z_level_low"), ElementsAre(1.0, 2.0));
  EXPECT_THAT(constant(layout, "z_level_high"), ElementsAre(9.0, 10.0));

  given.declarations.grids[1].coordinates.clear();  // what follows must not share with each other either
  layout = given.layout();
  EXPECT_THAT(dims(layout, "high"), ElementsAre("time_instant_5s", "z_level_high", "x"));
  EXPECT_THAT(dims(layout, "low_too"), ElementsAre("time_instant_5s", "z_level_low_too", "x"));
}

TEST(Layout, writes_bounds_of_coordinates) {
  Case given;
  given.declarations.grids[0].coordinates[0].bounds = {0.0, 10.0, 10.0, 20.0, 20.0, 30.0};
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "z", "bounds"), "z_bnds");
  EXPECT_THAT(dims(layout, "z_bnds"), ElementsAre("z", "bnds"));
  EXPECT_THAT(dims(layout, "time_10s_bnds"), ElementsAre("time_10s", "bnds")) << "of the same pair";
  EXPECT_THAT(constant(layout, "z_bnds"), ElementsAre(0.0, 10.0, 10.0, 20.0, 20.0, 30.0));
}

TEST(Layout, writes_what_measures_cells_and_how_they_lie_on_the_earth) {
  Case given;
  model::Grid& grid = given.declarations.grids[0];
  grid.coordinates.push_back(make_coordinate("dxy", {"y", "x"}, std::vector<double>(20, 1e6)));
  grid.coordinates.back().measure = "area";
  grid.coordinates.push_back(make_coordinate("lat", {"y", "x"}, std::vector<double>(20, 52.0)));
  grid.coordinates.back().bounds.assign(80, 52.0);
  grid.mapping = model::GridMapping{"crs", {{"grid_mapping_name", "mercator"}, {"earth_radius", 6371229.0}}};
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "cell_measures"), "area: dxy");
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lat");
  EXPECT_EQ(attribute(layout, "w", "grid_mapping"), "crs");
  EXPECT_EQ(attribute(layout, "crs", "grid_mapping_name"), "mercator");
  EXPECT_EQ(attribute(layout, "dxy", "coordinates"), "lat");
  EXPECT_EQ(attribute(layout, "dxy", "grid_mapping"), "crs");
  EXPECT_THAT(dims(layout, "crs"), IsEmpty());
  EXPECT_THAT(dims(layout, "lat_bnds"), ElementsAre("y", "x", "vertices"));
}

TEST(Layout, writes_scalar_coordinates_once_for_all_that_have_them) {
  Case given;
  model::Coordinate height = make_coordinate("height", {}, {2.0});
  given.declarations.fields[0].coordinates = {make_coordinate("layer", {}, {1.0})};
  given.file.variables[0].coordinates = {height};
  given.file.variables[1].coordinates = {height};
  given.add_variable("energy", 1, 1, time::ReductionKind::max);
  height.values = {10.0};
  height.bounds = {5.0, 15.0};
  given.file.variables[2].coordinates = {height};
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "layer height");
  EXPECT_EQ(attribute(layout, "w_mean", "coordinates"), "layer height");
  EXPECT_EQ(attribute(layout, "energy", "coordinates"), "height_energy");
  EXPECT_THAT(dims(layout, "height"), IsEmpty());
  EXPECT_THAT(constant(layout, "height"), ElementsAre(2.0));
  EXPECT_THAT(constant(layout, "height_energy"), ElementsAre(10.0));
  EXPECT_THAT(dims(layout, "height_energy_bnds"), ElementsAre("bnds"));
  EXPECT_THAT(constant(layout, "height_energy_bnds"), ElementsAre(5.0, 15.0));
}

// z = a + b * orography, with bounds of all three.
TEST(Layout, writes_the_terms_of_levels_by_their_names_in_the_file) {
  Case given;
  model::Grid& grid = given.declarations.grids[0];
  const std::vector<double> three{1, 2, 3}, six{0, 1, 1, 2, 2, 3};
  grid.coordinates[0].attributes = {{"formula_terms", "a: a b: b orog: energy"}};
  for (const char* name : {"a", "b"}) grid.coordinates.push_back(make_coordinate(name, {"z"}, three));
  for (model::Coordinate& coordinate : grid.coordinates) coordinate.bounds = six;
  given.add_variable("b", 1, 1, time::ReductionKind::max);
  DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "z", "formula_terms"), "a: a b: b_les orog: b");
  EXPECT_EQ(attribute(layout, "z_bnds", "formula_terms"), "a: a_bnds b: b_les_bnds orog: b");
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "-");
  given.file.variables.pop_back();
  layout = given.layout();
  EXPECT_EQ(attribute(layout, "z", "formula_terms"), "-") << "nobody could compute them";
}

TEST(Layout, gives_way_to_the_users_names) {
  Case given;
  given.file.variables[0].name = "z";
  const DatasetLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "z"), ElementsAre("time_instant_5s", "z_les", "y", "x"));
  EXPECT_THAT(constant(layout, "z_les"), ElementsAre(5.0, 15.0, 25.0));
}

TEST(Layout, writes_meshes_as_ugrid_asks) {
  Case given;
  model::Grid icon = make_grid("icon", {"level", "cell"}, {2, 20});
  icon.kind = model::GridKind::indexed;
  icon.indexed_dim = "cell";
  icon.coordinates = {make_coordinate("lon", {"cell"}, {}, 3), make_coordinate("lat", {"cell"}, {}, 4)};
  icon.mesh = model::Mesh{.name = "mesh",
                          .nodes = 7,
                          .node_x_field = 5,
                          .node_y_field = 6,
                          .in_parts = false,
                          .nodes_digest = 0,
                          .nodes_per_face = 3,
                          .connectivity_field = 2};
  given.declarations.grids = {icon, make_grid("icon[mesh]", {"cell", "mesh_nodes_per_face"}, {20, 3}),
                              make_grid("icon[cell]", {"cell"}, {20}),
                              make_grid("icon[mesh_node]", {"mesh_node"}, {7})};
  given.declarations.fields = {make_field("t", 0),
                               make_field("other", 0),
                               make_field("icon:mesh", 1, DataType::int32, true),
                               make_field("icon:lon", 2, DataType::float64, true),
                               make_field("icon:lat", 2, DataType::float64, true),
                               make_field("icon:mesh_node_x", 3, DataType::float64, true),
                               make_field("icon:mesh_node_y", 3, DataType::float64, true)};
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout.dataset.attributes, "Conventions"), "CF-1.12 UGRID-1.0");
  EXPECT_EQ(attribute(layout, "w", "mesh"), "mesh");
  EXPECT_EQ(attribute(layout, "w", "location"), "face");
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lon lat");
  EXPECT_EQ(attribute(layout, "mesh", "cf_role"), "mesh_topology");
  EXPECT_EQ(attribute(layout, "mesh", "topology_dimension"), "2");
  EXPECT_EQ(attribute(layout, "mesh", "node_coordinates"), "mesh_node_x mesh_node_y");
  EXPECT_EQ(attribute(layout, "mesh", "face_node_connectivity"), "mesh_face_nodes");
  EXPECT_EQ(attribute(layout, "mesh", "face_coordinates"), "lon lat");
  EXPECT_THAT(dims(layout, "mesh"), IsEmpty());
  EXPECT_THAT(dims(layout, "mesh_face_nodes"), ElementsAre("cell", "mesh_face_nodes_max"));
  EXPECT_EQ(attribute(layout, "mesh_face_nodes", "start_index"), "0");
  EXPECT_EQ(variable(layout, "mesh_face_nodes").fill_value, -1.0);
  EXPECT_EQ(variable(layout, "mesh_face_nodes").type, DataType::int32);
  EXPECT_THAT(dims(layout, "mesh_node_y"), ElementsAre("mesh_node"));
  EXPECT_TRUE(variable(layout, "mesh_node_y").chunk.empty()) << "few nodes lie in one piece";
  EXPECT_EQ(attribute(layout, "mesh_node_x", "units"), "degrees_east");
}

// The file holds fields on the edges and nodes of a plane mesh, but none on its faces.
TEST(Layout, writes_the_mesh_of_edges_and_nodes) {
  Case given;
  const auto indexed = [](const std::string& name, const std::string& dim, std::int64_t cells) {
    model::Grid grid = make_grid(name, {dim}, {cells});
    grid.kind = model::GridKind::indexed;
    grid.indexed_dim = dim;
    return grid;
  };
  given.declarations.grids = {indexed("icon", "cell", 20),
                              indexed("edges", "edge", 31),
                              indexed("nodes", "corner", 12),
                              make_grid("icon[mesh]", {"cell", "mesh_nodes"}, {20, 3}),
                              make_grid("edges[mesh]", {"edge", "mesh_nodes"}, {31, 2}),
                              make_grid("icon[mesh_node]", {"mesh_node"}, {12})};
  given.declarations.grids[0].mesh = model::Mesh{.name = "mesh",
                                                 .nodes = 12,
                                                 .node_x_field = 4,
                                                 .node_y_field = 5,
                                                 .node_units = "m",
                                                 .in_parts = false,
                                                 .nodes_digest = 0,
                                                 .nodes_per_face = 3,
                                                 .connectivity_field = 2};
  given.declarations.grids[1].place = model::MeshPlace{0, model::MeshElement::edge, 3};
  given.declarations.grids[2].place = model::MeshPlace{0, model::MeshElement::node, -1};
  given.declarations.fields = {make_field("flow", 1),
                               make_field("height", 2),
                               make_field("icon:mesh", 3, DataType::int32, true),
                               make_field("edges:mesh", 4, DataType::int32, true),
                               make_field("icon:mesh_node_x", 5, DataType::float64, true),
                               make_field("icon:mesh_node_y", 5, DataType::float64, true)};
  given.file.variables[1].field = 1;
  const DatasetLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "mesh"), "mesh");
  EXPECT_EQ(attribute(layout, "w", "location"), "edge");
  EXPECT_EQ(attribute(layout, "w_mean", "location"), "node");
  EXPECT_EQ(attribute(layout, "mesh", "edge_node_connectivity"), "mesh_edge_nodes");
  EXPECT_EQ(attribute(layout, "mesh", "edge_dimension"), "edge");
  EXPECT_EQ(attribute(layout, "mesh", "face_dimension"), "cell");
  EXPECT_THAT(dims(layout, "mesh_edge_nodes"), ElementsAre("edge", "mesh_edge_nodes_max"));
  EXPECT_THAT(dims(layout, "mesh_face_nodes"), ElementsAre("cell", "mesh_face_nodes_max"));
  EXPECT_THAT(dims(layout, "mesh_node_x"), ElementsAre("corner")) << "where the fields lie";
  EXPECT_EQ(attribute(layout, "mesh_node_y", "units"), "m");
  EXPECT_EQ(attribute(layout, "mesh_node_y", "standard_name"), "projection_y_coordinate");
}

}  // namespace
}  // namespace tailrace::cf
