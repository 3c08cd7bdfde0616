#include <gmock/gmock.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/diagnostic_coordinates.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::Coordinate coordinate_of(const std::string& name, std::vector<std::string> dims,
                                std::vector<double> values, const std::string& units) {
  model::Coordinate coordinate;
  coordinate.name = name;
  coordinate.dims = std::move(dims);
  coordinate.values = std::move(values);
  coordinate.units = units;
  return coordinate;
}

// th and p on (z, x), heights with attributes, and a second coordinate along z; u on the same dims.
model::Declarations toy() {
  model::Declarations declarations;
  model::Grid grid;
  grid.name = "les";
  grid.kind = model::GridKind::block;
  grid.dims = {"z", "x"};
  grid.shape = {4, 6};
  grid.coordinates = {coordinate_of("z", {"z"}, {10, 20, 40, 80}, "m"),
                      coordinate_of("layer", {"z"}, {1, 2, 3, 4}, "1")};
  grid.coordinates[0].standard_name = "height";
  grid.coordinates[0].attributes = {{"positive", "up"}, {"comment", "of mass"}};
  declarations.grids = {grid, grid};
  declarations.grids[1].name = "other";
  const auto add = [&](const std::string& name, int on, const std::string& units) {
    model::Field& field = declarations.fields.emplace_back();
    field.name = name;
    field.grid = on;
    field.units = units;
  };
  add("th", 0, "K");
  add("p", 0, "Pa");
  add("u", 1, "m s-1");
  declarations.fields[1].standard_name = "air_pressure";
  return declarations;
}

struct Analysed {
  Plan plan;

  // `diagnostics`: lines of YAML.
  explicit Analysed(const std::vector<std::string>& diagnostics, const model::Declarations& model = toy()) {
    std::string text = "tailrace: 1\nfields: {state: {names: [th, p, u]}}\ndiagnostics:\n";
    for (const std::string& line : diagnostics) text += "  " + line + "\n";
    const std::map<std::string, std::string> options;
    plan = make_plan(settings::parse_configuration({{"run.yaml", text}}, &options), model);
  }
  const model::Grid& grid(const std::string& diagnostic = "d") const {
    const model::Declarations& all = plan.analysis->declarations;
    return all.grids.at(base::index(all.fields.at(all.find_field(diagnostic).value()).grid));
  }
  const model::Coordinate* find(const std::string& name, const std::string& diagnostic = "d") const {
    for (const model::Coordinate& coordinate : grid(diagnostic).coordinates)
      if (coordinate.name == name) return &coordinate;
    return nullptr;
  }
  const model::Coordinate& at(const std::string& name, const std::string& diagnostic = "d") const {
    const model::Coordinate* found = find(name, diagnostic);
    if (found == nullptr) throw std::runtime_error(diagnostic + " has no coordinate " + name);
    return *found;
  }
};

TEST(DiagnosticCoordinates, follow_a_chain_of_operators) {
  const Analysed found({"d: {is: 'abs(slice(coarsen(cumsum(th, z), z=2), z_2=[0, 2]) / 2)'}"});
  const model::Coordinate& z = found.at("z_2");
  EXPECT_THAT(z.values, ElementsAre(15, 60));
  EXPECT_THAT(z.dims, ElementsAre("z_2"));
  EXPECT_EQ(z.units, "m");
  EXPECT_EQ(z.standard_name, "height");
  EXPECT_EQ(z.attributes, (model::Attributes{{"positive", "up"}}));
  EXPECT_EQ(found.find("layer"), nullptr) << "its cells are gone";
  EXPECT_EQ(found.grid().coordinates.size(), 1u);
}

TEST(DiagnosticCoordinates, leave_what_no_operator_changed) {
  const Analysed found(
      {"whole: {is: 'th - mean(th, x)'}", "running: {is: 'cumsum(th, z)'}", "column: {is: 'mean(th, x)'}"});
  EXPECT_EQ(found.grid("whole").name, "les");
  EXPECT_THAT(found.at("layer", "running").values, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(model::text_of(found.at("z", "column").attributes, "comment"), "of mass");
  EXPECT_THAT(found.at("layer", "column").values, ElementsAre(1, 2, 3, 4));
}

TEST(DiagnosticCoordinates, take_no_coordinate_for_another_of_the_same_name_and_length) {
  const Analysed found({"d: {is: 'interpolate(th, p, z, levels=[4, 3, 2, 1], dim=\"z\")'}",
                        "turned: {is: 'select(th, z=[80, 40, 20, 10])'}"});
  EXPECT_THAT(found.at("z").values, ElementsAre(4, 3, 2, 1));
  EXPECT_EQ(found.at("z").units, "Pa");
  EXPECT_EQ(found.at("z").standard_name, "air_pressure");
  EXPECT_EQ(found.find("layer"), nullptr);
  EXPECT_THAT(found.at("z", "turned").values, ElementsAre(80, 40, 20, 10));
}

TEST(DiagnosticCoordinates, name_levels_of_what_was_computed) {
  const Analysed found({"hpa: {is: 'to_units(p, units=hPa)', standard_name: air_pressure}",
                        "of_named: {is: 'interpolate(th, hpa, z, levels=[900, 500])'}",
                        "of_other: {is: 'interpolate(th, p ** 2, z, levels=[1, 2])'}"});
  EXPECT_EQ(found.at("z_level", "of_named").units, "hPa");
  EXPECT_EQ(found.at("z_level", "of_named").standard_name, "air_pressure");
  EXPECT_EQ(found.at("z_level", "of_named").long_name, "hpa");
  EXPECT_EQ(found.at("z_level", "of_other").standard_name, "");
  EXPECT_THAT(found.at("z_level", "of_other").long_name, HasSubstr("p"));
}

TEST(DiagnosticCoordinates, believe_what_the_expression_says_of_units) {
  const Analysed found({"a: {is: 'histogram(th, edges=[0, 1, 2])'}",
                        "b: {is: 'histogram(with_units(th, units=m), edges=[0, 1, 2])'}"});
  EXPECT_EQ(found.at("bin", "a").units, "K");
  EXPECT_EQ(found.at("bin", "b").units, "m");
  EXPECT_THAT(found.at("bin", "b").bounds, ElementsAre(0, 1, 1, 2));
}

TEST(DiagnosticCoordinates, count_where_other_cells_are_combined) {
  const Analysed found({"d: {is: 'slice(th, z=[1, 4]) - slice(th, z=[0, 3])'}"});
  EXPECT_THAT(found.at("z_3").values, ElementsAre(0, 1, 2));
  EXPECT_EQ(found.at("z_3").units, "1");
  EXPECT_THAT(found.at("z_3").long_name, HasSubstr("index"));
}

TEST(DiagnosticCoordinates, start_from_the_grid_of_the_field) {
  model::Declarations staggered = toy();
  staggered.grids[1].coordinates[0].values = {15, 30, 60, 120};
  const Analysed found({"a: {is: 'slice(th, z=[0, 2])'}", "b: {is: 'slice(u, z=[0, 2])'}"}, staggered);
  EXPECT_THAT(found.at("z_2", "a").values, ElementsAre(10, 20));
  EXPECT_THAT(found.at("z_2", "b").values, ElementsAre(15, 30));
}

TEST(DiagnosticCoordinates, are_beside_the_dim_where_their_values_are_not_in_order) {
  const Analysed found({"d: {is: 'interpolate(th, p, z, levels=[900, 500, 700])'}"});
  EXPECT_EQ(found.find("z_level"), nullptr);
  EXPECT_THAT(found.at("z_level_value").values, ElementsAre(900, 500, 700));
  EXPECT_THAT(found.at("z_level_value").dims, ElementsAre("z_level"));
}

TEST(DiagnosticCoordinates, of_the_unknown_are_none) {
  model::Declarations bare = toy();
  for (model::Grid& grid : bare.grids) grid.coordinates.clear();
  const Analysed found({"d: {is: 'coarsen(th, z=2)'}"}, bare);
  EXPECT_THAT(found.grid().coordinates, IsEmpty());
}

std::string methods(const std::string& expression, const model::Declarations& model = toy()) {
  const Analysed found({"d: {is: '" + expression + "'}"}, model);
  const model::Declarations& all = found.plan.analysis->declarations;
  return model::text_of(all.fields.at(base::index(all.find_field("d").value())).attributes, "cell_methods");
}

TEST(DiagnosticCellMethods, tell_what_was_done_over_dimensions_that_are_gone) {
  model::Declarations model = toy();
  EXPECT_EQ(methods("max(th, z)"), "height: maximum");
  EXPECT_EQ(methods("mean(th, x)"), "") << "x has no standard name";
  model::Coordinate x = coordinate_of("x", {"x"}, {1, 2, 3, 4, 5, 6}, "degrees_east");
  x.standard_name = "longitude";
  for (model::Grid& grid : model.grids) grid.coordinates.push_back(x);
  EXPECT_EQ(methods("mean(th, x)", model), "longitude: mean");
  EXPECT_EQ(methods("mean(th)", model), "height: longitude: mean");
  EXPECT_EQ(methods("max(mean(th ** 2, x), z)", model), "longitude: mean height: maximum");
  EXPECT_EQ(methods("to_units(std(th, z), units=mK)", model), "height: standard_deviation");
  EXPECT_EQ(methods("mean(th, z) * 2", model), "");
  EXPECT_EQ(methods("argmax(th, x, along=x)", model), "");
  for (model::Grid& grid : model.grids) {
    grid.coordinates[0].standard_name = "latitude";
    grid.coordinates[0].units = "degrees_north";
  }
  EXPECT_EQ(methods("mean(th)", model), "area: mean");
  EXPECT_EQ(methods("sum(th, x)", model), "longitude: sum");
}

TEST(DiagnosticCellMethods, of_the_plane_that_two_dimensional_coordinates_span) {
  model::Declarations model = toy();
  for (model::Grid& grid : model.grids) {
    grid.coordinates = {coordinate_of("lat", {"z", "x"}, std::vector<double>(24, 1.0), "degrees_north")};
    grid.coordinates[0].standard_name = "latitude";
  }
  EXPECT_EQ(methods("mean(th)", model), "area: mean");
  EXPECT_EQ(methods("mean(th, x)", model), "");
}

TEST(DiagnosticAttributes, are_those_of_the_configuration) {
  const Analysed found(
      {"d: {is: 'mean(th, x)', attributes: {comment: mine, cell_methods: 'x: mean'}, "
       "coordinates: {layer: {value: 2, units: '1'}}}"});
  const model::Declarations& all = found.plan.analysis->declarations;
  const model::Field& field = all.fields.at(base::index(all.find_field("d").value()));
  EXPECT_EQ(model::text_of(field.attributes, "comment"), "mine");
  EXPECT_EQ(model::text_of(field.attributes, "cell_methods"), "x: mean");
  ASSERT_EQ(field.coordinates.size(), 1u);
  EXPECT_EQ(field.coordinates[0].name, "layer");
}

}  // namespace
}  // namespace tailrace::plan
