#include "mip_tables/checks.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

namespace tailrace::mip_tables {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Said {
  std::string problems, warnings;
};

class TableChecks : public testing::Test {
 protected:
  TableChecks() {
    TableVariable tas;
    tas.table = "Amon";
    tas.name = "tas";
    tas.units = "K";
    tas.standard_name = "air_temperature";
    tas.dimensions = {"longitude", "latitude", "time", "height2m"};
    field.name = "t2m";
    field.units = "K";
    grid.dims = {"lat", "lon"};
    request.variable = "tas";
    request.cells = 2;
    request.knows_scalars = true;
    set(tas);
  }

  void set(const TableVariable& variable) { request.is = std::make_shared<const TableVariable>(variable); }

  Said said(bool once = false) const {
    config::Problems problems;
    std::vector<std::string> warnings;
    check_table(written(once), problems, warnings);
    return {problems.text(), warnings.empty() ? "" : warnings.front()};
  }

  Written written(bool once = false) const {
    return {&request, config_path, coordinates, field, grid, once, is_split};
  }

  Request request;
  std::string config_path;
  std::vector<model::Coordinate> coordinates;
  bool is_split = false;
  model::Field field;
  model::Grid grid;
};

TEST_F(TableChecks, AreSilentWhereAllFits) {
  EXPECT_THAT(said().problems + said().warnings, IsEmpty());
  field.units = "kelvin";
  field.standard_name = "air_temperature";
  EXPECT_THAT(said().problems + said().warnings, IsEmpty());
  grid.kind = model::GridKind::indexed;
  grid.dims = {"cell"};
  EXPECT_THAT(said().problems + said().warnings, IsEmpty());
}

TEST_F(TableChecks, HoldUnitsAgainstTheTable) {
  field.units = "degC";
  EXPECT_THAT(said().problems, HasSubstr("`tas: {is: 'to_units(t2m, units=\"K\")'}`"));
  field.units = "Pa";
  EXPECT_THAT(said().problems, HasSubstr("\"t2m\" is in \"Pa\" and Amon/tas () in \"K\", which cannot be"));
  field.units = "";
  EXPECT_THAT(said().problems, IsEmpty());
  EXPECT_THAT(said().warnings, HasSubstr("declares no units for \"t2m\"; they are taken to be K"));
}

TEST_F(TableChecks, HoldNamesAndDimensionsAgainstTheTable) {
  field.standard_name = "sea_surface_temperature";
  EXPECT_THAT(said().problems, HasSubstr("\"sea_surface_temperature\" for \"t2m\", but Amon/tas () is"));
  field.standard_name = "";
  grid.dims = {"z", "lat", "lon"};
  EXPECT_THAT(said().problems, HasSubstr("so 2 are expected besides time, but \"t2m\" has 3 (z, lat, lon)"));
  is_split = true;
  EXPECT_THAT(said().problems, IsEmpty());
  is_split = false;
  request.knows_scalars = false;
  EXPECT_THAT(said().problems, IsEmpty());
  EXPECT_THAT(said().warnings, HasSubstr("is a guess"));
  EXPECT_THAT(said(true).problems, HasSubstr("is put once"));
}

TEST_F(TableChecks, AddScalarsThatAreNotThere) {
  request.scalars.resize(2);
  request.scalars[0].name = "height";
  request.scalars[1].name = "lat";
  const auto added = scalar_coordinates(written());
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].name, "height");
  grid.coordinates.resize(1);
  grid.coordinates[0].name = "height";
  EXPECT_THAT(scalar_coordinates(written()), IsEmpty());
}

}  // namespace
}  // namespace tailrace::mip_tables
