// Coordinates whose values CF does not allow, and names that are too long for a format.
#include <gmock/gmock.h>

#include <limits>

#include "model/axis.hpp"
#include "plan/naming/axis_warnings.hpp"
#include "plan/plan.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

model::Declarations with(std::vector<double> values, const std::string& units = "m",
                         const std::vector<std::string>& dims = {"x"}) {
  model::Declarations declarations;
  model::Grid& grid = declarations.grids.emplace_back();
  grid.name = "g";
  grid.dims = {"x"};
  grid.shape = {std::ssize(values)};
  model::Coordinate& coordinate = grid.coordinates.emplace_back();
  coordinate.name = "x";
  coordinate.dims = dims;
  coordinate.units = units;
  coordinate.odd = model::odd_values(coordinate, values);
  coordinate.values = std::move(values);
  model::Field field;
  field.name = "u";
  field.grid = 0;
  declarations.fields.push_back(field);
  return declarations;
}

TEST(CoordinateWarnings, NameTheValueAndTheVariable) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   inf = std::numeric_limits<double>::infinity();
  const std::string rule =
      ", but a coordinate variable increases or decreases strictly and has no missing values (CF 1.2); it is "
      "written as an auxiliary coordinate, along the dimension \"x_index\"";
  EXPECT_THAT(coordinate_warnings(with({1, 2, 4})), IsEmpty());
  EXPECT_THAT(coordinate_warnings(with({1, nan, 4})),
              ElementsAre("grid \"g\": coordinate \"x\": it is nan at index 1" + rule));
  EXPECT_THAT(
      coordinate_warnings(with({180, 300, 60}, "degrees_east")),
      ElementsAre("grid \"g\": coordinate \"x\": it increases to 300 at index 1, then decreases to 60" +
                  rule + ". Longitudes that go on behind the jump (add or subtract 360) would be an axis"));
  EXPECT_THAT(
      coordinate_warnings(with({1, 91, 100}, "degrees_north")),
      ElementsAre("grid \"g\": coordinate \"x\": 2 of its values are beyond the poles, such as 91; expected "
                  "-90 to 90, and NaN for cells without a place"));
  EXPECT_THAT(coordinate_warnings(with({1, inf, nan}, "m", {"x", "y"})),
              ElementsAre("grid \"g\": coordinate \"x\": 1 of its values is infinite, such as inf"));
}

// `field`, `coordinate`: names in the model.
std::string complaint(const std::string& format, const std::string& field, const std::string& coordinate) {
  model::Declarations declarations = with({1, 2, 3});
  declarations.fields[0].name = field;
  declarations.grids[0].coordinates[0].name = coordinate;
  declarations.grids[0].coordinates[0].bounds = {0, 1, 1, 2, 2, 3};
  const std::string text = "tailrace: 1\nfields: {all: {every: 1 step, names: [" + field +
                           "]}}\noutput:\n  a." + (format == "zarr" ? "zarr" : "nc") +
                           ":\n    format: " + format + "\n    variables: [{field: " + field +
                           ", every: 1 step}]\n";
  const std::map<std::string, std::string> options;
  try {
    make_plan(settings::parse_configuration({{"run.yaml", text}}, &options), declarations);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(LongNames, AreRefusedByTheFormatThatCannotHoldThem) {
  const std::string most(256, 'n'), fits(255, 'n');
  EXPECT_EQ(complaint("netcdf", most, "x"), "none");
  EXPECT_EQ(complaint("zarr", fits, "x"), "none");
  EXPECT_THAT(
      complaint("zarr", most, "x"),
      HasSubstr(
          "output.a.zarr: the name \"" + std::string(60, 'n') +
          "...\" has 256 bytes, but a variable of format \"zarr\" can have 255; give it a shorter one"));
  EXPECT_EQ(complaint("netcdf", "u", std::string(251, 'c')), "none");
  EXPECT_THAT(complaint("netcdf", "u", std::string(252, 'c')), HasSubstr("has 257 bytes"))
      << "the variable of its bounds";
}

}  // namespace
}  // namespace tailrace::plan
