#include "plan/vectors.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "plan/analysis.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;

constexpr double degree = std::numbers::pi / 180.0;

model::Coordinate coordinate(const std::string& name, std::vector<std::string> dims, const std::string& units,
                             const std::string& standard_name, std::vector<double> values) {
  model::Coordinate made;
  made.name = name;
  made.dims = std::move(dims);
  made.units = units;
  made.standard_name = standard_name;
  made.values = std::move(values);
  return made;
}

// A grid of 3 x 4 cells with two coordinates of two dims.
model::Grid curvilinear() {
  model::Grid grid;
  grid.name = "orca";
  grid.kind = model::GridKind::block;
  grid.dims = {"y", "x"};
  grid.shape = {3, 4};
  std::vector<double> lat, lon;
  for (int i = 0; i < 12; ++i) {
    lat.push_back(10.0 * i / 4);
    lon.push_back(20.0 * i);
  }
  grid.coordinates = {coordinate("lat", {"y", "x"}, "degrees_north", "latitude", lat),
                      coordinate("lon", {"y", "x"}, "degrees_east", "longitude", lon)};
  return grid;
}

model::Declarations ocean(model::Grid grid, const std::string& u_name = "x_wind",
                          const std::string& v_name = "y_wind") {
  model::Declarations declarations;
  declarations.grids = {std::move(grid)};
  for (const char* name : {"u", "v", "t"}) {
    model::Field& field = declarations.fields.emplace_back();
    field.name = name;
    field.grid = 0;
    field.units = "m s-1";
    field.type = model::DataType::float32;
  }
  declarations.fields[0].standard_name = u_name;
  declarations.fields[1].standard_name = v_name;
  return declarations;
}

settings::Configuration configuration(const std::string& pair = "[u, v]") {
  const std::map<std::string, std::string> options;
  return settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\n"
        "fields: {state: {names: [u, v, t], every: 1 step}}\n"
        "output:\n"
        "  a.nc:\n"
        "    regrid: {to: {healpix: {level: 1}}, method: bilinear, vectors: [" +
            pair +
            "]}\n"
            "    variables: [{field: u, every: 1 step}, {field: v, every: 1 step}, {field: t, every: 1 "
            "step}]\n"}},
      &options);
}

Plan plan_of(const model::Declarations& declarations, const std::string& pair = "[u, v]") {
  return make_plan(configuration(pair), declarations);
}

std::string complaint(const model::Declarations& declarations, const std::string& pair = "[u, v]") {
  try {
    plan_of(declarations, pair);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

const model::Field& regridded_source(const Plan& plan, std::size_t variable) {
  const VariablePlan& of = plan.files[0].variables[variable];
  const RegridPlan& regrid = plan.regridding->regrids[static_cast<std::size_t>(of.regrid)];
  return plan.regridding->declarations.fields[static_cast<std::size_t>(regrid.source_field)];
}

const RegridPlan& regrid_of(const Plan& plan, std::size_t variable) {
  return plan.regridding->regrids[static_cast<std::size_t>(plan.files[0].variables[variable].regrid)];
}

std::string expression_of(const Plan& plan) {
  return std::get<std::string>(regridded_source(plan, 0).attributes.at("expression"));
}

TEST(Vectors, AreRegriddedAsThreeComponents) {
  model::Grid grid = curvilinear();
  grid.coordinates.push_back(coordinate("alpha", {"y", "x"}, "degree", "angle_of_rotation_from_east_to_x",
                                        std::vector<double>(12, 30.0)));
  const Plan plan = plan_of(ocean(grid));
  EXPECT_EQ(plan.files[0].variables[0].name, "u");
  EXPECT_EQ(plan.files[0].variables[0].type, model::DataType::float32);
  const model::Field& source = regridded_source(plan, 0);
  EXPECT_EQ(source.units, "m s-1");
  EXPECT_EQ(plan.regridding->declarations.grids[static_cast<std::size_t>(source.grid)].dims,
            (std::vector<std::string>{vector_dim, "y", "x"}));
  EXPECT_THAT(expression_of(plan),
              HasSubstr("(u * sin(angle_of_grid_0) + v * cos(angle_of_grid_0)) * cos(latitude_of_grid_0)"));
  EXPECT_EQ(&regridded_source(plan, 1), &source);
  EXPECT_EQ(regrid_of(plan, 0).projection, Projection::east);
  EXPECT_EQ(regrid_of(plan, 1).projection, Projection::north);
  EXPECT_EQ(regrid_of(plan, 2).projection, Projection::none);
  EXPECT_EQ(plan.regridding->weights.size(), 1u) << "a vector needs no weights of its own";
  const auto target = static_cast<std::size_t>(plan.files[0].variables[1].field);
  EXPECT_EQ(plan.regridding->declarations.fields[target].standard_name, "northward_wind");
  EXPECT_EQ(regridded_source(plan, 2).name, "t");
}

TEST(Vectors, AreNotRotatedWhereDimsAreParallelsAndMeridians) {
  model::Grid grid = curvilinear();
  grid.coordinates = {coordinate("y", {"y"}, "degrees_north", "latitude", {-30, 0, 30}),
                      coordinate("x", {"x"}, "degrees_east", "longitude", {0, 90, 180, 270})};
  const Plan plan = plan_of(ocean(grid));
  EXPECT_THAT(expression_of(plan), testing::Not(HasSubstr("angle")));
  EXPECT_THAT(expression_of(plan), HasSubstr("earth_axis_z * v * cos(latitude_of_grid_0)"));
}

TEST(Vectors, AreNotRotatedWhereTheirNamesSayTrueDirections) {
  const Plan plan = plan_of(ocean(curvilinear(), "eastward_wind", "northward_wind"));
  EXPECT_THAT(expression_of(plan), testing::Not(HasSubstr("angle")));
}

TEST(Vectors, NeedAnAngle) {
  EXPECT_THAT(
      complaint(ocean(curvilinear())),
      HasSubstr("output.a.nc.regrid.vectors: the grid \"orca\" of \"u\" does not tell where its x "
                "direction points; expected a coordinate, or a field that is listed under `fields`, with "
                "the standard_name angle_of_rotation_from_east_to_x"));
  EXPECT_THAT(complaint(ocean(curvilinear()), "[u, w]"), HasSubstr("the model declares no field \"w\""));
  model::Declarations apart = ocean(curvilinear());
  apart.grids.push_back(curvilinear());
  apart.grids[1].name = "faces";
  apart.fields[1].grid = 1;
  EXPECT_THAT(complaint(apart), HasSubstr("\"u\" lies on the grid \"orca\" and \"v\" on \"faces\""));
}

TEST(Vectors, TakeAFieldWithTheAngle) {
  model::Declarations declarations = ocean(curvilinear());
  declarations.fields[2].standard_name = "angle_of_rotation_from_east_to_x";
  declarations.fields[2].units = "radian";
  EXPECT_THAT(expression_of(plan_of(declarations)), HasSubstr("(u * cos(t) - v * sin(t))"));
}

TEST(Vectors, HaveNamesOfTrueDirections) {
  EXPECT_EQ(true_name("sea_water_y_velocity"), "northward_sea_water_velocity");
  EXPECT_EQ(true_name("surface_downward_x_stress"), "surface_downward_eastward_stress");
  EXPECT_EQ(true_name("northward_wind"), "northward_wind");
  EXPECT_EQ(true_name("air_temperature"), "");
}

using Point = std::array<double, 3>;

Point place(double lat, double lon) {
  return {std::cos(lat * degree) * std::cos(lon * degree), std::cos(lat * degree) * std::sin(lon * degree),
          std::sin(lat * degree)};
}

double dot(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// The grid's x direction is across the way to the rotated pole: a right angle to the left of it. So the angle
// is that of the bearing of the pole, which spherical trigonometry gives without a rotation.
TEST(Vectors, KnowTheAngleOfARotatedPole) {
  const double pole_lat = 39.25, pole_lon = -162.0;
  model::Grid grid = curvilinear();
  grid.mapping.emplace();
  grid.mapping->attributes = {{"grid_mapping_name", std::string("rotated_latitude_longitude")},
                              {"grid_north_pole_latitude", pole_lat},
                              {"grid_north_pole_longitude", pole_lon}};
  const std::vector<double> rlat{-21.0, 3.0, 17.0}, rlon{-40.0, -6.0, 0.0, 31.0};
  grid.coordinates = {coordinate("rlat", {"y"}, "degrees", "grid_latitude", rlat),
                      coordinate("rlon", {"x"}, "degrees", "grid_longitude", rlon)};
  const auto angle = angle_of_rotated_pole(grid);
  ASSERT_TRUE(angle);
  EXPECT_EQ(angle->dims, (std::vector<std::string>{"y", "x"}));
  // The axes of the rotated sphere: its pole, its place 0, 0 on the other side of the true pole, and a right
  // angle.
  const Point z = place(pole_lat, pole_lon), x = place(90.0 - pole_lat, pole_lon + 180.0);
  const Point y{z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 4; ++i) {
      const Point r = place(rlat[j], rlon[i]);
      Point here{};
      for (std::size_t k = 0; k < 3; ++k) here[k] = r[0] * x[k] + r[1] * y[k] + r[2] * z[k];
      const double lat = std::asin(here[2]), lon = std::atan2(here[1], here[0]);
      const Point east{-std::sin(lon), std::cos(lon), 0.0};
      const Point north{-std::sin(lat) * std::cos(lon), -std::sin(lat) * std::sin(lon), std::cos(lat)};
      const double bearing = std::atan2(dot(z, east), dot(z, north));  // of the rotated pole, from north
      EXPECT_NEAR(std::remainder(angle->values[4 * j + i] + bearing / degree, 360.0), 0.0, 1e-9);
    }
}

}  // namespace
}  // namespace tailrace::plan
