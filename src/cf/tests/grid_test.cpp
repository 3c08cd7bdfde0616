#include "cf/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cf/testing/layout_case.hpp"

namespace tailrace::cf {
namespace {

using namespace layout_case;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Layout, writes_coordinates_that_are_known_and_invents_none) {
  const FileLayout layout = Case().layout();
  EXPECT_THAT(dims(layout, "z"), ElementsAre("z"));
  EXPECT_EQ(attribute(layout, "z", "units"), "m");
  EXPECT_EQ(attribute(layout, "z", "long_name"), "z");
  EXPECT_THAT(constant(layout, "z"), ElementsAre(5.0, 15.0, 25.0));
  EXPECT_EQ(find(layout, "x"), nullptr);
}

TEST(Layout, names_coordinates_that_are_not_of_a_dim) {
  Case given;
  given.declarations.grids.push_back(make_grid("les[y,x]", {"y", "x"}, {4, 5}));
  given.declarations.fields.push_back(make_field("les:lat", 1, DataType::float64, true));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("lat", {"y", "x"}, {}, 2));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("height", {"z"}, {1.0, 2.0, 3.0}));
  const FileLayout layout = given.layout();
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
  const FileLayout layout = given.layout();
  EXPECT_THAT(layout.variables[2].chunk, ElementsAre(125, 1000));
  EXPECT_EQ(variable(layout, "lat").chunk, layout.variables[2].chunk);
}

TEST(Layout, shares_dims_of_grids_only_where_they_are_the_same) {
  Case given;
  given.declarations.grids.push_back(make_grid("surface", {"y", "x"}, {4, 9}));
  given.declarations.fields.push_back(make_field("rain", 1));
  given.add_variable("rain", 2, 1, time::ReductionKind::mean);
  FileLayout layout = given.layout();
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
  FileLayout layout = given.layout();
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
  const FileLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "z", "bounds"), "z_bnds");
  EXPECT_THAT(dims(layout, "z_bnds"), ElementsAre("z", "bnds"));
  EXPECT_THAT(dims(layout, "time_10s_bnds"), ElementsAre("time_10s", "bnds")) << "of the same pair";
  EXPECT_THAT(constant(layout, "z_bnds"), ElementsAre(0.0, 10.0, 10.0, 20.0, 20.0, 30.0));
}

TEST(Layout, gives_way_to_the_users_names) {
  Case given;
  given.file.variables[0].name = "z";
  const FileLayout layout = given.layout();
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
  const FileLayout layout = given.layout();
  EXPECT_EQ(attribute(layout.dataset.attributes, "Conventions"), "CF-1.11 UGRID-1.0");
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

}  // namespace
}  // namespace tailrace::cf
