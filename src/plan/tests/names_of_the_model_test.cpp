// Names in a configuration that are held against what the model declares: of dimensions, coordinates, and
// fields that are misspelt wherever they stand.
#include <gmock/gmock.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/naming/dim_names.hpp"
#include "plan/naming/spelling_hints.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

model::Coordinate along(const std::string& dim, std::vector<double> values) {
  model::Coordinate coordinate;
  coordinate.name = dim;
  coordinate.dims = {dim};
  coordinate.values = std::move(values);
  return coordinate;
}

// A model like MONC: fields on z, the levels zn beside it, and a profile of each rank.
model::Declarations toy() {
  model::Declarations declarations;
  const auto add_grid = [&](const std::string& name, model::GridKind kind, std::vector<std::string> dims,
                            std::vector<std::int64_t> shape) {
    model::Grid& grid = declarations.grids.emplace_back();
    grid.name = name;
    grid.kind = kind;
    grid.dims = std::move(dims);
    grid.shape = std::move(shape);
  };
  add_grid("les", model::GridKind::block, {"x", "z"}, {5, 3});
  add_grid("levels", model::GridKind::replicated, {"zn"}, {3});
  add_grid("profile", model::GridKind::partial, {"level"}, {3});
  declarations.grids[0].coordinates = {along("z", {10, 20, 30})};
  declarations.grids[1].coordinates = {along("zn", {5, 15, 25})};
  for (const auto& [name, grid] : {std::pair("th", 0), std::pair("vwp_local", 2)}) {
    model::Field& field = declarations.fields.emplace_back();
    field.name = name;
    field.grid = grid;
  }
  return declarations;
}

Plan plan_of(const std::string& rest, const std::string& fields = "{state: {names: [th, vwp_local]}}") {
  const std::map<std::string, std::string> options;
  const std::string text = "tailrace: 1\nfields: " + fields + "\n" + rest;
  return make_plan(settings::parse_configuration({{"run.yaml", text}}, &options), toy());
}

const model::Grid& grid_of(const Plan& plan, const std::string& diagnostic) {
  const model::Declarations& all = plan.analysis->declarations;
  return all.grids.at(base::index(all.fields.at(all.find_field(diagnostic).value()).grid));
}

TEST(DimNames, OfADiagnosticBringTheirCoordinate) {
  const Plan plan = plan_of("diagnostics: {d: {is: \"sum(vwp_local, rank)\", dims: [zn]}}\n");
  const model::Grid& grid = grid_of(plan, "d");
  EXPECT_THAT(grid.dims, ElementsAre("zn"));
  ASSERT_EQ(grid.coordinates.size(), 1u);
  EXPECT_EQ(grid.coordinates[0].values, (std::vector<double>{5, 15, 25}));
  const Plan other = plan_of("diagnostics: {d: {is: \"th * 2\", dims: [x, zn]}}\n");
  EXPECT_THAT(grid_of(other, "d").dims, ElementsAre("x", "zn"));
  ASSERT_EQ(grid_of(other, "d").coordinates.size(), 1u) << "that of z is gone";
  EXPECT_EQ(grid_of(other, "d").coordinates[0].name, "zn");
}

TEST(DimNames, ThatAreTheOwnOnesChangeNothing) {
  const Plan plan = plan_of("diagnostics: {d: {is: \"th * 2\", dims: [x, z]}}\n");
  EXPECT_EQ(grid_of(plan, "d").name, "les");
}

TEST(DimNames, ThatDoNotFitAreToldOnce) {
  const Plan plan = plan_of(
      "diagnostics:\n"
      "  c: {is: \"sum(vwp_local, rank)\", dims: [zn, x]}\n"
      "  d: {is: \"sum(vwp_local, rank)\", dims: [x]}\n"
      "  e: {is: sum(th), dims: [zn]}\n");
  EXPECT_THAT(grid_of(plan, "c").dims, ElementsAre("level"));
  EXPECT_THAT(plan.warnings,
              Contains(HasSubstr("diagnostics.c.dims: expected a name for each dimension of the result "
                                 "(level), but got 2; it keeps its own")));
  EXPECT_THAT(plan.warnings, testing::Not(Contains(HasSubstr("diagnostics.d.dims"))));
  EXPECT_THAT(plan.details, Contains(HasSubstr("diagnostics.d.dims: \"x\" has 5 cells on grid \"les\", but "
                                               "this dimension of the result has 3")));
  EXPECT_THAT(plan.details, Contains(HasSubstr("(it has none), but got 1")));
}

TEST(DimNames, OfFieldsThatNoGridHasAreTold) {
  const Plan plan = plan_of("", "{state: {names: [th], dims: [x, zn]}}");
  EXPECT_THAT(plan.warnings,
              ElementsAre("run.yaml:2:26  fields.state.dims: the model has no grid (x, zn) with the "
                          "cells of \"th\", which keeps (x, z)"));
}

TEST(AlsoCoordinates, ThatNoGridHasAreTold) {
  const Plan plan =
      plan_of("output: {a.nc: {also_coordinates: [zn, zm], variables: [{field: th, every: 1 step}]}}\n");
  EXPECT_THAT(plan.warnings,
              Contains(HasSubstr("output.a.nc.also_coordinates: no grid of the model has values "
                                 "along zm")));
}

TEST(NearNames, OneLetterIsASlip) {
  for (const auto& [one, other] :
       {std::pair("vwpp", "vwp_"), std::pair("theta", "thta"), std::pair("heta", "theta"),
        std::pair("htick", "thick"), std::pair("lathf", "latxf")})
    EXPECT_TRUE(is_slip(one, other)) << one << " " << other;
  for (const auto& [one, other] :
       {std::pair("wind_u", "wind_v"), std::pair("uwind", "vwind"), std::pair("level1", "level2"),
        std::pair("theta", "theta"), std::pair("lwp", "rwp"), std::pair("theta", "zeta"),
        std::pair("wind", "windu"), std::pair("abcdef", "badcfe")})
    EXPECT_FALSE(is_slip(one, other)) << one << " " << other;
}

TEST(NearNames, AreHintedAtWhereTheModelHasThem) {
  const Plan plan =
      plan_of("", "{state: {names: [th]}, more: {optional: true, namespace: ns, names: [vwp_locl, xyz]}}");
  EXPECT_THAT(plan.warnings,
              Contains("run.yaml:2:78  fields: the model has, and nothing asks for, names near to those it "
                       "lacks: did you mean \"vwp_local\" for \"vwp_locl\"?"));
  const Plan asked =
      plan_of("", "{state: {names: [th, vwp_local]}, more: {optional: true, names: [vwp_locl, xyz]}}");
  EXPECT_THAT(asked.warnings, testing::Not(Contains(HasSubstr("did you mean"))));
}

}  // namespace
}  // namespace tailrace::plan
