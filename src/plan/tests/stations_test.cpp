// Plans with stations, and the mistakes that are refused.
#include <gmock/gmock.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/plan.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::Coordinate coordinate(const std::string& name, const std::vector<std::string>& dims,
                             std::vector<double> values, const std::string& units = "m") {
  model::Coordinate made;
  made.name = name;
  made.dims = dims;
  made.values = std::move(values);
  made.units = units;
  return made;
}

// A plane, a column, and a list of cells whose longitudes are given in parts.
model::Declarations declared() {
  model::Declarations made;
  made.grids.reserve(3);  // references stay good
  model::Grid& plane = made.grids.emplace_back();
  plane.name = "plane";
  plane.kind = model::GridKind::block;
  plane.dims = {"z", "y", "x"};
  plane.shape = {2, 3, 4};
  plane.coordinates = {coordinate("z", {"z"}, {1, 2}), coordinate("y", {"y"}, {0, 10, 20}),
                       coordinate("x", {"x"}, {0, 10, 20, 30})};
  plane.coordinates[0].attributes = {{"positive", std::string("up")}};
  model::Grid& column = made.grids.emplace_back();
  column.name = "column";
  column.dims = {"z"};
  column.shape = {2};
  column.coordinates = {plane.coordinates[0]};
  model::Grid& list = made.grids.emplace_back();
  list.name = "list";
  list.kind = model::GridKind::indexed;
  list.dims = {"cell"};
  list.shape = {5};
  list.indexed_dim = "cell";
  list.coordinates = {coordinate("lat", {"cell"}, {}, "degrees_north"),
                      coordinate("lon", {"cell"}, {}, "degrees_east")};
  list.coordinates[0].field = 3;
  list.coordinates[1].field = 4;
  for (const auto& [name, grid] :
       {std::pair("t", 0), {"base", 1}, {"sst", 2}, {"lats", 2}, {"lons", 2}, {"orog", 0}}) {
    model::Field& field = made.fields.emplace_back();
    field.name = name;
    field.grid = grid;
    field.type = model::DataType::float32;
  }
  made.fields[3].is_static = made.fields[4].is_static = true;
  return made;
}

Plan planned(const std::string& stations, const std::string& fields,
             const model::Declarations& declarations) {
  const std::map<std::string, std::string> options;
  std::string variables;
  for (std::size_t at = 0; at < fields.size(); at = fields.find(' ', at) + 1) {
    const std::size_t end = std::min(fields.find(' ', at), fields.size());
    variables += "{field: " + fields.substr(at, end - at) + ", every: 1 step}, ";
    if (end == fields.size()) break;
  }
  return make_plan(settings::parse_configuration(
                       {{"run.yaml",
                         "tailrace: 1\nfields: {s: {names: [t, base, sst]}, f: {every: once, names: "
                         "[orog]}}\noutput: {a.nc: {stations: {" +
                             stations + "}, variables: [" + variables + "]}}\n"}},
                       &options),
                   declarations);
}

std::string about(const std::string& stations, const std::string& fields,
                  const model::Declarations& declarations = declared()) {
  try {
    planned(stations, fields, declarations);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

TEST(AtStations, TakeThePlaceOfThePlane) {
  const Plan plan = planned("points: {A: {x: 12, y: 3, altitude: 7}, B: {x: 30, y: 20, altitude: 8}}",
                            "t base", declared());
  const auto& all = plan.analysis->declarations;
  const VariablePlan& variable = plan.files.at(0).variables.at(0);
  EXPECT_TRUE(variable.at_stations);
  EXPECT_EQ(variable.name, "t");
  EXPECT_EQ(variable.type, model::DataType::float32);
  const model::Grid& grid = all.grids.at(base::index(all.fields.at(base::index(variable.field)).grid));
  EXPECT_THAT(grid.dims, ElementsAre("station", "z"));
  EXPECT_THAT(grid.shape, ElementsAre(2, 2));
  ASSERT_EQ(grid.coordinates.size(), 4u);
  EXPECT_EQ(grid.coordinates[0].name, "z");
  EXPECT_THAT(grid.coordinates[1].values, ElementsAre(12, 30));
  EXPECT_THAT(grid.coordinates[3].values, ElementsAre(7, 8));
  EXPECT_FALSE(plan.files.at(0).variables.at(1).at_stations);
}

TEST(AtStations, AreRefusedOutsideOfTheGrid) {
  EXPECT_THAT(
      about("points: {A: {x: 36, y: 3}}", "t"),
      AllOf(HasSubstr(
                "run.yaml:3:37  output.a.nc.stations: station \"A\" lies outside of grid \"plane\": x is 36"),
            HasSubstr("the grid covers -5")));
  EXPECT_THAT(about("method: bilinear, points: {A: {x: 32, y: 3}}", "t"),
              HasSubstr("but the grid covers 0 to 30 between the centres of the outermost cells; `nearest` "
                        "covers them whole"));
  std::string many;
  for (int i = 0; i < 12; ++i) many += "S" + std::to_string(i) + ": {x: 99, y: 3}, ";
  EXPECT_THAT(about("points: {" + many + "}", "t"), HasSubstr("12 stations lie outside of grid \"plane\""));
}

TEST(AtStations, NeedCoordinates) {
  EXPECT_THAT(
      about("points: {A: {xx: 1, y: 3}}", "t"),
      HasSubstr("grid \"plane\", on which \"t\" lies, has no coordinate \"xx\". Did you mean \"x\"?"));
  EXPECT_THAT(about("points: {A: {lat: 1, lon: 3}}", "t"), HasSubstr("has no coordinate \"latitude\""));
  EXPECT_THAT(about("points: {A: {z: 1, zz: 3}}", "base"),
              HasSubstr("none of the variables of this file has cells"));
  EXPECT_THAT(
      about("points: {A: {x: 1, y: 3}}", "orog"),
      AllOf(HasSubstr("output.a.nc.variables[0]: \"orog\" is put only once"), HasSubstr("in this version")));
  auto tangled = declared();
  tangled.grids[0].coordinates[2].values = {0, 20, 10, 30};
  EXPECT_THAT(about("points: {A: {x: 1, y: 3}}", "t", tangled),
              HasSubstr("\"x\" of grid \"plane\" is not monotonic"));
}

TEST(AtStations, OfAListAreLookedForTogether) {
  const std::string one = "points: {A: {lat: 50, lon: 361}}";
  EXPECT_THAT(
      about("method: bilinear, " + one, "sst"),
      AllOf(HasSubstr("run.yaml:3:36  output.a.nc.stations.method: \"bilinear\" needs rows and columns"),
            HasSubstr("expected \"nearest\"")));
  EXPECT_EQ(about(one, "sst"), "none") << "nobody has looked yet";
  auto found = declared();
  found.found_cells.emplace();
  EXPECT_THAT(about(one, "sst", found), HasSubstr("are given in parts"));
  found.found_cells->push_back({"a.nc", {3, 4}, {2}, {40, 60, 0, 20}});
  EXPECT_EQ(about(one, "sst", found), "none");
  found.found_cells->back().reach = {40, 60, 10, 20};
  EXPECT_THAT(about(one, "sst", found), HasSubstr("longitude is 361, but the grid covers 10 to 20"));
}

}  // namespace
}  // namespace tailrace::plan
