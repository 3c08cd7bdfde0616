// Plans with trajectories, and the mistakes that are refused.
#include <gmock/gmock.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"
#include "plan/plan.hpp"

namespace tailrace::plan {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

model::Declarations declared() {
  model::Declarations made;
  const auto along = [](const std::string& name, std::vector<double> values) {
    model::Coordinate one;
    one.name = name;
    one.dims = {name};
    one.values = std::move(values);
    return one;
  };
  model::Grid& air = made.grids.emplace_back();
  air.name = "air";
  air.kind = model::GridKind::block;
  air.dims = {"z", "y", "x"};
  air.shape = {2, 3, 4};
  air.coordinates = {along("z", {10, 20}), along("y", {0, 10, 20}), along("x", {0, 10, 20, 30})};
  air.coordinates[0].standard_name = "height";
  air.coordinates[0].attributes["positive"] = std::string("up");
  model::Grid& flat = made.grids.emplace_back(air);
  flat.name = "flat";
  flat.dims = {"y", "x"};
  flat.shape = {3, 4};
  flat.coordinates.erase(flat.coordinates.begin());
  for (const char* name : {"t", "ps", "orog"}) {
    model::Field& field = made.fields.emplace_back();
    field.name = name;
    field.type = model::DataType::float32;
    field.grid = field.name == "t" ? 0 : 1;
  }
  return made;
}

Plan planned(const std::string& options, const std::string& field, const std::string& table,
             const model::Declarations& declarations) {
  const std::map<std::string, std::string> none;
  return make_plan(
      settings::parse_configuration(
          {{"run.yaml",
            "tailrace: 1\nfields: {s: {names: [t, ps]}, f: {every: once, names: [orog]}}\noutput: {a.nc: "
            "{trajectories: {file: ship.csv" +
                options + "}, variables: [{field: " + field + ", every: 1 step}]}}\n"},
           {"ship.csv", table, true}},
          &none),
      declarations);
}

std::string about(const std::string& options, const std::string& field, const std::string& table,
                  const model::Declarations& declarations = declared()) {
  try {
    planned(options, field, table, declarations);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

const std::string within = "time,y,x,height\n0,1,2,12\n9,11,12,19\n";

TEST(AlongTrajectories, ThePlaneIsGone) {
  const auto dims_of = [](const Plan& plan) {
    const auto& all = plan.analysis->declarations;
    const auto field = base::index(plan.files.at(0).variables.at(0).field);
    return all.grids.at(base::index(all.fields.at(field).grid)).dims;
  };
  const Plan columns = planned("", "t", "time,y,x\n0,1,2\n", declared());
  EXPECT_THAT(dims_of(columns), ElementsAre("trajectory", "z"));
  EXPECT_EQ(columns.files[0].places.size(), 2u);
  const Plan points = planned(", vertical: height", "t", within, declared());
  EXPECT_THAT(dims_of(points), ElementsAre("trajectory"));
  ASSERT_EQ(points.files[0].places.size(), 3u);
  EXPECT_EQ(points.files[0].places[2].name, "z");
  EXPECT_EQ(points.files[0].variables[0].type, model::DataType::float32);
  EXPECT_TRUE(points.analysis->graph.diagnostics.back().may_miss);
}

TEST(AlongTrajectories, WhatLiesOutsideIsTold) {
  const std::string table = "time,y,x\n0,1,2\n5,1,36\n9,1,99\n";
  EXPECT_THAT(planned("", "ps", table, declared()).warnings,
              ElementsAre(AllOf(HasSubstr("ship.csv:3:1  output.a.nc.trajectories: 2 of 3 positions"),
                                HasSubstr("outside of grid \"flat\""))));
  EXPECT_THAT(
      about("", "ps", "time,y,x\n0,1,36\n"),
      HasSubstr("ship.csv:2:1  output.a.nc.trajectories: all 1 positions lie outside of grid \"flat\""));
}

TEST(AlongTrajectories, NeedCoordinates) {
  EXPECT_THAT(about("", "t", "time,yy,x\n0,1,2\n"),
              HasSubstr("has no coordinate \"yy\". Did you mean \"y\"?"));
  EXPECT_THAT(about(", vertical: level", "t", "time,y,x,level\n0,1,2,3\n"),
              AllOf(HasSubstr("output.a.nc.trajectories.vertical: grid \"air\" has no coordinate \"level\""),
                    HasSubstr("height")));
  EXPECT_THAT(about(", vertical: height", "ps", within),
              HasSubstr("none of the variables of this file has levels"));
  EXPECT_THAT(about("", "orog", within.substr(0)), HasSubstr("but got 3"));
  EXPECT_THAT(about("", "orog", "time,y,x\n0,1,2\n"),
              HasSubstr("\"orog\" is put only once; files with trajectories cannot hold it yet"));
  auto tangled = declared();
  tangled.grids[0].coordinates[0].values = {1, 1e3, 20};
  tangled.grids[0].shape[0] = 3;
  EXPECT_THAT(about(", vertical: z", "t", "time,y,x,z\n0,1,2,3\n", tangled),
              HasSubstr("\"z\" of grid \"air\" is not monotonic"));
}

}  // namespace
}  // namespace tailrace::plan
