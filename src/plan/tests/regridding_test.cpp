#include "plan/regridding.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "model/agenda.hpp"
#include "plan/masks.hpp"
#include "plan/memory_needs.hpp"
#include "plan/restart/description.hpp"
#include "regrid/target_grid.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

model::Coordinate coordinate(const std::string& name, const std::string& units, std::vector<double> values) {
  model::Coordinate made;
  made.name = name;
  made.dims = {name};
  made.units = units;
  made.values = std::move(values);
  for (const double value : made.values) made.bounds.insert(made.bounds.end(), {value - 5.0, value + 5.0});
  return made;
}

model::Grid grid(const std::string& name, bool with_levels) {
  model::Grid made;
  made.name = name;
  made.kind = model::GridKind::block;
  made.dims = {"lat", "lon"};
  made.shape = {4, 6};
  made.coordinates = {coordinate("lat", "degrees_north", {-15, -5, 5, 15}),
                      coordinate("lon", "degrees_east", {5, 15, 25, 35, 45, 55})};
  if (!with_levels) return made;
  made.dims.insert(made.dims.begin(), "lev");
  made.shape.insert(made.shape.begin(), 3);
  made.coordinates.insert(made.coordinates.begin(), coordinate("lev", "hPa", {100, 500, 850}));
  return made;
}

model::Declarations planet() {
  model::Declarations declarations;
  model::Grid plain, contribution, bare = grid("bare", false), profile;
  bare.coordinates.clear();
  plain.name = "scalars";
  contribution = grid("sums", false);
  contribution.kind = model::GridKind::partial;
  profile.name = "profile";
  profile.dims = {"lev"};
  profile.shape = {3};
  declarations.grids = {grid("air", true), grid("surface", false), plain, contribution, bare, profile};
  const auto add = [&](const std::string& name, int on, model::DataType type = model::DataType::float32) {
    model::Field field;
    field.name = name;
    field.grid = on;
    field.type = type;
    field.units = "K";
    declarations.fields.push_back(field);
  };
  add("ta", 0);
  add("ts", 1);
  add("sst", 1, model::DataType::float64);
  declarations.fields.back().fill_value = -1e20;
  add("land", 1, model::DataType::int32);
  add("energy", 2, model::DataType::float64);
  add("partial", 3, model::DataType::float64);
  add("bare", 4);
  add("sea", 1);
  return declarations;
}

settings::Configuration parsed(const std::string& output, const std::string& more = "") {
  const std::map<std::string, std::string> options;
  return settings::parse_configuration({{"run.yaml",
                                         "tailrace: 1\n"
                                         "fields: {state: {every: 1 h, names: [ta, ts, sst, land, energy, "
                                         "partial, bare]}, fixed: {every: once, "
                                         "names: [sea]}}\n" +
                                             more + "output: {" + output + "}\n"}},
                                       &options);
}

Plan plan_of(const std::string& output, const std::string& more = "") {
  const settings::Configuration configuration = parsed(output, more);
  return make_plan(configuration, with_fill_values(configuration, planet()));
}

std::string complaint(const std::string& output) {
  try {
    plan_of(output);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

constexpr const char* healpix = "regrid: {to: {healpix: {level: 2}}}, ";

const RegridPlan& of(const Plan& plan, std::size_t file, std::size_t variable) {
  return plan.regridding->regrids.at(base::index(plan.files.at(file).variables.at(variable).regrid));
}

const model::Field& field_of(const Plan& plan, int field) {
  return plan.regridding->declarations.fields.at(base::index(field));
}

const model::Grid& grid_of(const Plan& plan, const VariablePlan& variable) {
  return plan.regridding->declarations.grids.at(base::index(field_of(plan, variable.field).grid));
}

TEST(Regridding, IsAbsentWhereNothingAsksForIt) {
  EXPECT_EQ(plan_of("a.nc: {variables: [{field: ta, every: 1 h}]}").regridding, nullptr);
}

TEST(Regridding, MakesAFieldOnATargetGrid) {
  const Plan plan = plan_of(std::string("a.nc: {") + healpix + "variables: [{field: ta, every: 1 h}]}");
  const VariablePlan& variable = plan.files.at(0).variables.at(0);
  EXPECT_EQ(variable.name, "ta");
  EXPECT_EQ(variable.type, model::DataType::float32);
  EXPECT_THAT(sources_of(plan, variable.field), ElementsAre(0));
  const model::Grid& on = grid_of(plan, variable);
  EXPECT_THAT(on.dims, ElementsAre("lev", "cell"));
  EXPECT_THAT(on.shape, ElementsAre(3, 192));
  ASSERT_TRUE(on.mapping);
  EXPECT_EQ(model::text_of(on.mapping->attributes, "grid_mapping_name"), "healpix");
  EXPECT_TRUE(field_of(plan, variable.field).fill_value) << "a cell may have no source";
  EXPECT_EQ(field_of(plan, variable.field).units, "K");
  EXPECT_EQ(plan.fields.size(), plan.regridding->declarations.fields.size());
  EXPECT_EQ(plan.masks.size(), plan.regridding->declarations.grids.size());
}

TEST(Regridding, GivesNumbersOfCellsAsAStaticField) {
  const Plan plan = plan_of(std::string("a.nc: {") + healpix + "variables: [{field: ta, every: 1 h}]}");
  ASSERT_EQ(plan.regridding->coordinates.size(), 1u);
  const TargetCoordinate& numbers = plan.regridding->coordinates[0];
  EXPECT_EQ(numbers.kind, TargetCoordinate::Kind::cell_number);
  EXPECT_EQ(field_of(plan, numbers.field).type, model::DataType::int64);
  EXPECT_TRUE(field_of(plan, numbers.field).is_static);
  for (const model::Coordinate& one : grid_of(plan, plan.files[0].variables[0]).coordinates)
    if (one.name == "cell") {
      EXPECT_EQ(one.field, numbers.field);
    }
}

TEST(Regridding, SharesWeightsAmongGridsWithTheSameCells) {
  const Plan plan =
      plan_of(std::string("a.nc: {") + healpix +
              "variables: [{field: ta, every: 1 h}, {field: ts, every: 1 h}, {field: ts, name: near, "
              "every: 1 h, regrid: {to: {healpix: {level: 2}}, method: nearest}}]}");
  ASSERT_EQ(plan.regridding->weights.size(), 2u);
  EXPECT_EQ(of(plan, 0, 0).weights, of(plan, 0, 1).weights);
  EXPECT_EQ(of(plan, 0, 2).weights, 1);
  EXPECT_THAT(plan.regridding->weights[0].source.dims, ElementsAre(1, 2));
  EXPECT_THAT(plan.regridding->weights[0].source.shape, ElementsAre(4, 6));
  EXPECT_EQ(plan.regridding->weights[0].config_path, "output.a.nc.regrid");
  EXPECT_EQ(plan.regridding->targets[base::index(plan.regridding->weights[0].target_cells)].cells, 192);
}

// Weights in the cache are found by these texts.
TEST(Regridding, TellsTargetsOfOneShapeApart) {
  const auto text = [](const std::string& lat, const std::string& lon) {
    const Plan plan = plan_of("a.nc: {regrid: {to: {latlon: {lat: [" + lat + "], lon: [" + lon +
                              "]}}}, variables: [{field: ts, every: 1 h}]}");
    return plan.regridding->weights.at(0).target_text;
  };
  EXPECT_EQ(text("-5, 5", "10, 20, 30"), text("-5, 5", "10, 20, 30"));
  EXPECT_NE(text("-5, 5", "10, 20, 30"), text("-5, 6", "10, 20, 30"));
  EXPECT_NE(text("-5, 5", "10, 20, 30"), text("-5, 5", "10, 20, 40"));
}

TEST(Regridding, ReducesFirstWhereOperationAndWeightsMayChangePlaces) {
  const auto stage = [](const std::string& variable, const std::string& more = "") {
    const Plan plan =
        plan_of(std::string("a.nc: {") + healpix + "variables: [{every: 6 h, " + variable + "}]}", more);
    return of(plan, 0, 0).stage;
  };
  EXPECT_EQ(stage("field: ts"), Stage::per_record);
  EXPECT_EQ(stage("field: ts, operation: mean"), Stage::per_record);
  EXPECT_EQ(stage("field: ts, operation: sum"), Stage::per_record);
  EXPECT_EQ(stage("field: ts, operation: max"), Stage::per_sample);
  EXPECT_EQ(stage("field: ts, operation: std"), Stage::per_sample);
  EXPECT_EQ(stage("field: sst"), Stage::per_record);
  EXPECT_EQ(stage("field: sst, operation: mean"), Stage::per_sample);
  EXPECT_EQ(stage("field: ts, operation: mean", "grids: {surface: {mask: sea}}\n"), Stage::per_record);
  EXPECT_EQ(stage("field: ts, operation: max", "grids: {surface: {mask: sea}}\n"), Stage::per_sample);
  EXPECT_EQ(stage("field: ts, operation: max, regrid: {to: {gaussian: F2}, method: nearest}"),
            Stage::per_record);
  EXPECT_EQ(stage("field: sst, operation: max, regrid: {to: {gaussian: F2}, method: nearest}"),
            Stage::per_record);
  EXPECT_EQ(stage("field: land, operation: mean, regrid: {to: {gaussian: F2}, method: largest_area}"),
            Stage::per_sample);
}

TEST(Regridding, KnowsOnWhichGridWindowsAre) {
  const Plan plan = plan_of(std::string("a.nc: {") + healpix +
                            "variables: [{field: ts, operation: mean, every: 6 h}, "
                            "{field: ts, operation: max, name: most, every: 6 h}]}");
  EXPECT_EQ(accumulated_field(plan, plan.files[0].variables[0]), 1);
  EXPECT_EQ(accumulated_field(plan, plan.files[0].variables[1]), plan.files[0].variables[1].field);
}

TEST(Regridding, KeepsClassesWhole) {
  const Plan plan = plan_of(
      "a.nc: {variables: [{field: land, every: 1 h, regrid: {to: {gaussian: F2}, method: largest_area}}, "
      "{field: land, name: mean, every: 1 h, regrid: {to: {gaussian: F2}}}]}");
  EXPECT_EQ(plan.files[0].variables[0].type, model::DataType::int32);
  EXPECT_EQ(plan.files[0].variables[0].regridded_type, model::DataType::int32);
  EXPECT_EQ(plan.files[0].variables[1].type, model::DataType::float64);
  EXPECT_EQ(plan.files[0].variables[1].regridded_type, model::DataType::float64);
}

TEST(Regridding, AddsTheValidShareOnWish) {
  const Plan plan = plan_of(
      "a.nc: {regrid: {to: {gaussian: F2}, with_fraction: true}, "
      "variables: [{field: sst, operation: max, every: 6 h}]}");
  ASSERT_EQ(plan.files[0].variables.size(), 2u);
  const VariablePlan& share = plan.files[0].variables[1];
  EXPECT_EQ(share.name, "sst_fraction");
  EXPECT_EQ(share.fraction_of, 0);
  EXPECT_EQ(share.field, of(plan, 0, 0).fraction_field);
  EXPECT_EQ(share.axis, plan.files[0].variables[0].axis);
  EXPECT_EQ(share.reduction, time::ReductionKind::mean);
  EXPECT_EQ(accumulated_field(plan, share), share.field);
  EXPECT_FALSE(field_of(plan, share.field).fill_value);
  EXPECT_THAT(
      complaint("a.nc: {regrid: {to: {gaussian: F2}, with_fraction: true}, variables: [{field: sst, every: 1 "
                "h}, {field: ts, name: sst_fraction, every: 1 h}]}"),
      HasSubstr("the file already has a variable \"sst_fraction\""));
}

TEST(Regridding, LeavesWhatHasNoCellsOnTheEarth) {
  const Plan plan = plan_of(std::string("a.nc: {") + healpix +
                            "variables: [{field: energy, every: 1 h}, {field: ts, every: 1 h}]}");
  EXPECT_EQ(plan.files[0].variables[0].regrid, -1);
  EXPECT_EQ(plan.files[0].variables[0].field, 4);
  EXPECT_GE(plan.files[0].variables[1].regrid, 0);
}

TEST(Regridding, RefusesWhatLacksPlaces) {
  EXPECT_THAT(
      complaint(std::string("a.nc: {") + healpix + "variables: [{field: bare, every: 1 h}]}"),
      HasSubstr(
          "run.yaml:3:25  output.a.nc.regrid: field \"bare\": grid \"bare\" cannot be regridded: it has "
          "no latitude and longitude"));
  EXPECT_THAT(complaint(std::string("a.nc: {") + healpix + "variables: [{field: bare, every: 1 h}]}"),
              HasSubstr("write `regrid: none` with the variable"));
  EXPECT_THAT(complaint(std::string("a.nc: {") + healpix + "variables: [{field: partial, every: 1 h}]}"),
              HasSubstr("every rank has a contribution"));
  EXPECT_THAT(complaint("a.nc: {variables: [{field: energy, every: 1 h, regrid: {to: {gaussian: F2}}}]}"),
              HasSubstr("output.a.nc.variables[0].regrid: field \"energy\""));
}

TEST(Regridding, RefusesConservativeWithoutBounds) {
  model::Declarations declarations = planet();
  for (model::Coordinate& one : declarations.grids[1].coordinates) one.bounds.clear();
  try {
    make_plan(parsed(std::string("a.nc: {") + healpix + "variables: [{field: ts, every: 1 h}]}"),
              declarations);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("method conservative needs the corners of its cells"));
  }
}

TEST(Regridding, GivesTheCoordinatesOfAFileAsStaticFields) {
  const std::map<std::string, std::string> none;
  const settings::Configuration configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nfields: {state: {every: 1 h, names: [ts]}}\n"
        "output: {a.nc: {regrid: {to: {file: g.nc}}, variables: [{field: ts, every: 1 h}]}}\n"},
       {"g.nc",
        R"({"kind": "file", "path": "g.nc", "dims": ["y", "x"], "shape": [5, 7], "corners": 4, )"
        R"("identity": "i"})",
        true}},
      &none);
  const Plan plan = make_plan(configuration, planet());
  std::vector<TargetCoordinate::Kind> kinds;
  for (const TargetCoordinate& one : plan.regridding->coordinates) {
    kinds.push_back(one.kind);
    EXPECT_EQ(one.weights, 0);
  }
  using Kind = TargetCoordinate::Kind;
  EXPECT_THAT(kinds,
              testing::UnorderedElementsAre(Kind::lat, Kind::lon, Kind::lat_corners, Kind::lon_corners));
  const model::Grid& on = grid_of(plan, plan.files[0].variables[0]);
  EXPECT_THAT(on.dims, ElementsAre("y", "x"));
  for (const model::Coordinate& one : on.coordinates) {
    ASSERT_TRUE(one.field);
    ASSERT_TRUE(one.bounds_field);
    EXPECT_THAT(
        plan.regridding->declarations.grids[base::index(field_of(plan, *one.bounds_field).grid)].shape,
        ElementsAre(5, 7, 4));
  }
  EXPECT_THAT(plan.regridding->weights[0].target_text, HasSubstr(", i"));
}

model::Decomposition two_ranks(const model::Declarations& declarations) {
  model::Decomposition decomposition;
  for (const model::Grid& one : declarations.grids) {
    std::vector<model::Region> regions;
    for (int rank = 0; rank < 2; ++rank) {
      model::Box box{std::vector<std::int64_t>(one.shape.size(), 0), one.shape};
      if (!box.count.empty()) {
        box.count.back() /= 2;
        box.offset.back() = rank * box.count.back();
      }
      regions.push_back(model::Region::of_box(box));
    }
    decomposition.regions.emplace_back(regions);
  }
  return decomposition;
}

// Each cell of each target lies in one part.
TEST(Regridding, DealsOutTargetsOverTheRanks) {
  const Plan plan = plan_of("a.nc: {regrid: {to: {latlon: 60 deg}}, variables: [{field: ta, every: 1 h}]}");
  model::Decomposition decomposition = two_ranks(planet());
  decomposition.further.push_back({.rank = 0, .is_hole = true});
  for (std::size_t g = 0; g < decomposition.regions.size(); ++g)
    decomposition.regions[g].push_back(
        model::Region(std::vector<model::Runs>(planet().grids[g].shape.size())));
  const model::Decomposition all = with_regridding(*plan.regridding, decomposition);
  ASSERT_EQ(all.regions.size(), plan.regridding->declarations.grids.size());
  for (const TargetGrid& target : plan.regridding->targets) {
    const model::Grid& on = plan.regridding->declarations.grids[base::index(target.grid)];
    const model::Regions& regions = all.regions[base::index(target.grid)];
    ASSERT_EQ(regions.size(), 3u);
    std::int64_t cells = 0;
    for (std::size_t part = 0; part < 3; ++part) cells += regions[part].size();
    EXPECT_EQ(cells, on.size());
    EXPECT_EQ(regions[2].size(), 0);
    EXPECT_EQ(regions[0].runs(target.first_dim + 1), (model::Runs{{0, 6}})) << "rows are whole";
    EXPECT_GT(regions[1].size(), 0);
  }
}

TEST(Pyramids, FollowTheNextFinerLevel) {
  const Plan plan = plan_of(
      "a.zarr: {regrid: {to: {healpix: {level: 3}}}, pyramid: {levels: 2, periods: [1 day]}, format: zarr, "
      "variables: [{field: energy, every: 1 h}, {field: ta, operation: mean, every: 6 h}, "
      "{field: ts, operation: max, every: 6 h}, {field: land, every: 6 h, regrid: {to: {gaussian: F2}}}]}");
  std::vector<std::string> paths;
  for (const DatasetPlan& file : plan.files) paths.push_back(file.entry.path);
  ASSERT_THAT(paths, ElementsAre("a.zarr", "a_z2.zarr", "a_z1.zarr", "a_P1D_z3.zarr", "a_P1D_z2.zarr",
                                 "a_P1D_z1.zarr"));
  const DatasetPlan& coarsest = plan.files[2];
  ASSERT_EQ(coarsest.variables.size(), 2u) << "other targets, and sums, are in the finest level alone";
  EXPECT_EQ(coarsest.variables[0].name, "ta");
  EXPECT_EQ(coarsest.variables[0].finer.file, 1);
  EXPECT_EQ(coarsest.variables[0].finer.variable, 0);
  EXPECT_EQ(plan.files[1].variables[0].finer.file, 0);
  EXPECT_EQ(plan.files[1].variables[0].finer.variable, 1);
  EXPECT_EQ(of(plan, 2, 0).stage, Stage::coarsened);
  EXPECT_EQ(of(plan, 2, 0).coarsening, Coarsening::mean);
  EXPECT_EQ(of(plan, 2, 1).coarsening, Coarsening::maximum);
  EXPECT_EQ(of(plan, 2, 0).source_field, plan.files[1].variables[0].field);
  EXPECT_THAT(sources_of(plan, coarsest.variables[0].field), ElementsAre(0));
  EXPECT_EQ(accumulated_field(plan, coarsest.variables[0]), -1);
  EXPECT_THAT(grid_of(plan, coarsest.variables[0]).shape, ElementsAre(3, 48));
  ASSERT_EQ(coarsest.axes.size(), 1u) << "that of the sums is not needed";
  EXPECT_EQ(coarsest.axes[0].dim, "time");
  EXPECT_TRUE(coarsest.axes[0].has_records_of(plan.files[0].axes[1]));
  EXPECT_EQ(plan.files[5].axes[0].every, time::Period::parse("1 day"));
}

// Four cells that make one lie in the part of that one.
TEST(Pyramids, AreLocalToAPart) {
  for (const char* to : {"{healpix: {level: 3}}", "{latlon: 7.5 deg}"}) {
    const Plan plan = plan_of(std::string("a.nc: {regrid: {to: ") + to +
                              "}, pyramid: {levels: 2}, variables: [{field: ta, every: 1 h}]}, "
                              "b.nc: {regrid: {to: " +
                              to + "}, pyramid: {levels: 3}, variables: [{field: ts, every: 1 h}]}");
    model::Decomposition five = two_ranks(planet());
    for (model::Regions& regions : five.regions)
      for (int more = 0; more < 3; ++more) regions.push_back(regions[0]);
    const model::Decomposition all = with_regridding(*plan.regridding, five);
    int checked = 0;
    for (const TargetGrid& target : plan.regridding->targets) {
      if (target.finer < 0) continue;
      const TargetGrid& finer = plan.regridding->targets[base::index(target.finer)];
      for (std::size_t part = 0; part < 5; ++part) {
        const model::Runs coarse = all.regions[base::index(target.grid)][part].runs(target.first_dim);
        model::Runs fine = all.regions[base::index(finer.grid)][part].runs(finer.first_dim);
        const std::int64_t factor = target.dims == 2 ? 2 : 4;
        ASSERT_EQ(coarse.size(), fine.size());
        if (coarse.empty()) continue;
        EXPECT_EQ(fine[0].start, factor * coarse[0].start);
        EXPECT_EQ(fine[0].count, factor * coarse[0].count);
        ++checked;
      }
      const std::size_t rows =
          target.dims == 2
              ? static_cast<std::size_t>(
                    plan.regridding->declarations.grids[base::index(finer.grid)].shape[finer.first_dim])
              : 0;
      EXPECT_EQ(target.row_areas.size(), rows);
    }
    EXPECT_GT(checked, 10);
  }
}

TEST(Pyramids, WeightRowsByTheirArea) {
  const Plan plan = plan_of(
      "a.nc: {regrid: {to: {latlon: 45 deg}}, pyramid: {levels: 1}, variables: [{field: ts, every: 1 h}]}");
  for (const TargetGrid& target : plan.regridding->targets)
    if (target.finer >= 0) {
      ASSERT_EQ(target.row_areas.size(), 4u);
      EXPECT_NEAR(target.row_areas[0], 1.0 - std::sqrt(0.5), 1e-15);
      EXPECT_NEAR(target.row_areas[1], std::sqrt(0.5), 1e-15);
    }
}

TEST(Regridding, IsWantedWhenItsSourceIs) {
  const std::string variables = "variables: [{field: ts, operation: mean, every: 6 h}]";
  const Plan plain = plan_of("a.nc: {" + variables + "}");
  const Plan plan =
      plan_of("a.nc: {regrid: {to: {healpix: {level: 1}}}, pyramid: {levels: 1}, " + variables + "}");
  const auto expected = make_agenda(plain, planet(), {}), agenda = make_agenda(plan, planet(), {});
  for (int hour = 1; hour <= 12; ++hour) {
    std::vector<unsigned char> wanted(planet().fields.size()), same(wanted);
    const model::Tick tick{.step = hour, .time = 3600.0 * hour};
    agenda->advance(tick, wanted);
    expected->advance(tick, same);
    EXPECT_EQ(wanted, same);
    EXPECT_EQ(wanted[1], 1);
  }
}

// Returns "none" if the later plan can go on with the files of the earlier one.
std::string restart_complaint(const Plan& before, const Plan& after) {
  try {
    check_restart(describe_for_restart(before, before.regridding->declarations), after,
                  after.regridding->declarations);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Regridding, IsComparedOnRestart) {
  const auto about = [](const std::string& before, const std::string& now) {
    const auto plan = [](const std::string& regrid) {
      return plan_of("a.nc: {regrid: {" + regrid +
                     "}, variables: [{field: ts, operation: mean, every: 6 h}]}");
    };
    return restart_complaint(plan(before), plan(now));
  };
  EXPECT_EQ(about("to: {healpix: {level: 2}}", "to: {healpix: {level: 2}}, coverage: 0.5"), "none");
  EXPECT_THAT(about("to: {healpix: {level: 2}}", "to: {healpix: {level: 3}}"),
              HasSubstr("on healpix level 3 nested"));
  EXPECT_THAT(about("to: {healpix: {level: 2}}", "to: {healpix: {level: 2}}, coverage: 0.9"),
              HasSubstr("coverage 0.9"));
  EXPECT_THAT(about("to: {healpix: {level: 2}}", "to: {healpix: {level: 2}}, method: nearest"),
              HasSubstr("nearest"));
}

TEST(Keep, IsComparedOnRestart) {
  const auto about = [](const std::string& before, const std::string& now) {
    const auto plan = [](const std::string& keep) {
      return plan_of("a.nc: {regrid: {to: {healpix: {level: 2}}}, compression: {codec: zlib" + keep +
                     "}, variables: [{field: ts, operation: mean, every: 6 h}]}");
    };
    return restart_complaint(plan(before), plan(now));
  };
  EXPECT_EQ(about(", keep: {digits: 4}", ", level: 3, keep: {digits: 4}"), "none");
  EXPECT_THAT(about(", keep: {digits: 4}", ", keep: {digits: 6}"), HasSubstr("kept: digits 6"));
  EXPECT_THAT(about("", ", keep: {digits: 6}"), HasSubstr("kept: digits 6"));
  EXPECT_THAT(about(", keep: {absolute: 0.1}", ", keep: {absolute: 0.10000004}"),
              HasSubstr("kept: absolute 0.10000004"));
}

TEST(Regridding, IsDescribed) {
  const settings::Configuration configuration = parsed(
      "a.nc: {regrid: {to: {healpix: {level: 2}}}, variables: [{field: ts, operation: mean, every: 6 h}, "
      "{field: ts, "
      "name: most, operation: max, every: 6 h}]}");
  const Plan plan = make_plan(configuration, planet());
  const std::string text = describe(configuration, &plan);
  EXPECT_THAT(
      text, HasSubstr("ts: mean, float32, not compressed, on healpix level 2 nested, conservative (coverage "
                      "0.5, fracarea), each record: mean and weights may change places, and no value is "
                      "missing"));
  EXPECT_THAT(text, HasSubstr("each sample: max and weights cannot change places"));
  EXPECT_THAT(text, HasSubstr("grid \"surface\" to healpix level 2 nested, conservative: about"));
}

TEST(Regridding, NeedsMemoryForWeightsAndWindowsOfItsSource) {
  const auto needs = [](const Plan& plan, const model::Declarations& declarations) {
    return memory_needs_of(
        plan, declarations,
        {.servers = 1,
         .cells =
             [&](int on) { return static_cast<std::size_t>(declarations.grids[base::index(on)].size()); },
         .writes = [](std::size_t) { return true; }});
  };
  const std::string variables = "variables: [{field: ts, operation: mean, every: 6 h}]}";
  const Plan plain = plan_of("a.nc: {" + variables),
             plan = plan_of(std::string("a.nc: {") + healpix + variables);
  const MemoryNeeds without = needs(plain, planet()), with = needs(plan, plan.regridding->declarations);
  EXPECT_EQ(with.windows.bytes, without.windows.bytes);
  EXPECT_EQ(without.weights.bytes, 0u);
  EXPECT_GE(with.weights.bytes, (192u + 24u) * 12u + 192u * 8u);
  EXPECT_EQ(with.weights.of, "healpix level 2 nested");
}

}  // namespace
}  // namespace tailrace::plan
