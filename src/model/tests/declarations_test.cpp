#include "model/declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tailrace::model {
namespace {

using testing::ElementsAre;

Coordinate make_coordinate(const std::string& name, const std::vector<std::string>& dims) {
  Coordinate coordinate;
  coordinate.name = name;
  coordinate.dims = dims;
  coordinate.units = "m";
  return coordinate;
}

Field make_field(const std::string& name, int grid, DataType type, bool is_static) {
  Field field;
  field.name = name;
  field.grid = grid;
  field.type = type;
  field.is_static = is_static;
  return field;
}

Grid make_les() {
  Grid les;
  les.name = "les";
  les.kind = GridKind::block;
  les.dims = {"z", "y", "x"};
  les.shape = {3, 4, 5};
  les.coordinates = {make_coordinate("z", {"z"}), make_coordinate("lat", {"y", "x"})};
  les.coordinates[0].attributes = {{"positive", "up"}};
  les.coordinates[0].values = {5.0, 15.0, 25.0};
  les.coordinates[0].bounds = {0.0, 10.0, 10.0, 20.0, 20.0, 30.0};
  les.coordinates[1].field = 1;
  les.coordinates[1].bounds_field = 2;
  les.coordinates[1].measure = "area";
  les.mapping = GridMapping{
      "crs", {{"grid_mapping_name", "rotated_latitude_longitude"}, {"grid_north_pole_latitude", 39.25}}};
  return les;
}

Grid make_icon() {
  Grid icon;
  icon.name = "icon";
  icon.kind = GridKind::indexed;
  icon.dims = {"cell"};
  icon.shape = {20};
  icon.indexed_dim = "cell";
  icon.mesh = Mesh{.name = "mesh",
                   .nodes = 7,
                   .node_x_field = 3,
                   .node_y_field = 4,
                   .node_units = "m",
                   .in_parts = true,
                   .nodes_digest = 6,
                   .nodes_per_face = 3,
                   .connectivity_field = 2};
  return icon;
}

Declarations everything() {
  Declarations all;
  all.component = "bubble";
  all.options = {{"x_size", "64"}, {"label", "Straka (1993), µ"}};
  all.grids = {make_les(), make_icon(), Grid()};
  all.grids[2].name = "scalar";
  all.fields = {make_field("scalar.w", 0, DataType::float32, false),
                make_field("lat", 0, DataType::float64, true),
                make_field("mesh_face_nodes", 1, DataType::int32, true)};
  all.fields[0].attributes = {{"comment", "x"},
                              {"limit", 0.5},
                              {"single", 0.25F},
                              {"seed", std::int64_t{1} << 40},
                              {"flag", std::int32_t{3}},
                              {"valid_range", std::vector<double>{-1.0, 1.0}},
                              {"singles", std::vector<float>{0.5F}},
                              {"seeds", std::vector<std::int64_t>{1, 2}},
                              {"flag_values", std::vector<std::int32_t>{0, 1, 2}}};
  return all;
}

TEST(Declarations, come_back_from_bytes_as_they_were) {
  const Declarations before = everything();
  const Declarations after = Declarations::from_bytes(before.to_bytes());
  EXPECT_TRUE(after == before);
  EXPECT_EQ(after.component, "bubble");
  EXPECT_EQ(after.options.at("label"), "Straka (1993), µ");
  ASSERT_EQ(after.grids.size(), 3u);
  EXPECT_EQ(after.grids[0].size(), 60);
  EXPECT_EQ(after.grids[2].size(), 1);
  EXPECT_EQ(after.grids[0].kind, GridKind::block);
  EXPECT_THAT(after.grids[0].coordinates[0].values, ElementsAre(5.0, 15.0, 25.0));
  EXPECT_THAT(after.grids[0].coordinates[0].bounds, ElementsAre(0.0, 10.0, 10.0, 20.0, 20.0, 30.0));
  EXPECT_EQ(after.grids[0].coordinates[0].field, std::nullopt);
  EXPECT_EQ(after.grids[0].coordinates[1].field, 1);
  EXPECT_EQ(after.grids[1].indexed_dim, "cell");
  ASSERT_TRUE(after.grids[1].mesh.has_value());
  EXPECT_EQ(after.grids[1].mesh->nodes, 7);
  EXPECT_EQ(after.grids[1].mesh->node_x_field, 3);
  EXPECT_EQ(after.grids[1].mesh->node_y_field, 4);
  EXPECT_EQ(after.grids[1].mesh->connectivity_field, 2);
  EXPECT_EQ(after.fields[0].type, DataType::float32);
  EXPECT_EQ(text_of(after.fields[0].attributes, "comment"), "x");
  EXPECT_EQ(after.fields[0].attributes, before.fields[0].attributes);
  EXPECT_TRUE(after.fields[2].is_static);
}

TEST(Declarations, know_which_fields_the_model_puts) {
  Declarations all = everything();
  all.fields.push_back(make_field("sst", 0, DataType::float64, false));
  all.fields.back().is_input = true;
  EXPECT_THAT(all.field_names(), ElementsAre("scalar.w"));
  EXPECT_THAT(all.input_names(), ElementsAre("sst"));
  EXPECT_TRUE(all.fields[0].is_put());
  EXPECT_FALSE(all.fields[2].is_put());
  EXPECT_FALSE(all.fields[3].is_put());
}

TEST(Declarations, differ_when_any_part_differs) {
  for (const auto& change : std::vector<void (*)(Declarations&)>{
           [](Declarations& d) { d.component = "other"; },
           [](Declarations& d) { d.options["x_size"] = "65"; },
           [](Declarations& d) { d.attributes["DX"] = 3000.0F; },
           [](Declarations& d) { d.grids[0].shape[1] = 6; },
           [](Declarations& d) { d.grids[0].coordinates[0].values[2] = 26.0; },
           [](Declarations& d) { d.grids[0].coordinates[0].bounds.clear(); },
           [](Declarations& d) { d.grids[0].coordinates[1].bounds_field = 0; },
           [](Declarations& d) { d.grids[0].coordinates[1].measure = "volume"; },
           [](Declarations& d) { d.grids[0].coordinates[1].digest = 7; },
           [](Declarations& d) { d.grids[0].mapping->attributes["grid_north_pole_latitude"] = 40.0; },
           [](Declarations& d) {
             d.grids[1].place = MeshPlace{0, MeshElement::edge, 1};
           },
           [](Declarations& d) { d.fields[0].coordinates.push_back(make_coordinate("height", {})); },
           [](Declarations& d) { d.fields[0].is_input = true; },
           [](Declarations& d) { d.fields[0].is_optional = true; },
           [](Declarations& d) { d.grids[1].mesh->node_units = "km"; },
           [](Declarations& d) { d.grids[1].mesh->nodes_per_face = 4; },
           [](Declarations& d) { d.grids[1].mesh->nodes = 8; },
           [](Declarations& d) { d.grids[1].mesh->in_parts = false; },
           [](Declarations& d) { d.grids[1].mesh->nodes_digest = 7; },
           [](Declarations& d) { d.fields[0].units = "cm s-1"; },
           [](Declarations& d) { d.fields.pop_back(); }}) {
    Declarations other = everything();
    change(other);
    EXPECT_FALSE(other == everything());
  }
}

TEST(Declarations, find_by_name) {
  const Declarations all = everything();
  EXPECT_EQ(all.find_field("lat"), 1);
  EXPECT_EQ(all.find_field("w"), std::nullopt);
  EXPECT_EQ(all.find_grid("scalar"), 2);
  EXPECT_EQ(all.find_grid("LES"), std::nullopt);
  EXPECT_THAT(all.field_names(), ElementsAre("scalar.w"));
  EXPECT_THAT(all.grid_names(), ElementsAre("les", "icon", "scalar"));
}

TEST(Declarations, refuse_a_message_cut_short_or_too_long) {
  std::vector<std::byte> bytes = everything().to_bytes();
  for (std::size_t length = 0; length < bytes.size(); length += 7)
    EXPECT_THROW(Declarations::from_bytes(std::span(bytes).first(length)), Error) << length;
  bytes.push_back(std::byte{0});
  EXPECT_THROW(Declarations::from_bytes(bytes), Error);
}

TEST(Decomposition, comes_back_from_bytes_as_it_was) {
  const std::vector<std::int64_t> indices{7, 8, 9, 2, 3};
  Decomposition before;
  before.regions = {{Region::of_box({{0, 2}, {3, 4}}), Region::of_box({{0, 0}, {0, 4}})},
                    {Region({compress(indices)})},
                    {}};
  const Decomposition after = Decomposition::from_bytes(before.to_bytes());
  EXPECT_EQ(after.regions, before.regions);
  const std::vector<std::byte> bytes = before.to_bytes();
  EXPECT_THROW(Decomposition::from_bytes(std::span(bytes).first(bytes.size() - 1)), Error);
}

}  // namespace
}  // namespace tailrace::model
