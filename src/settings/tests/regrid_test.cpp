// The options of regridding of files and variables, the grids of files, and pyramids.
#include <gmock/gmock.h>

#include <algorithm>
#include <numbers>

#include "config/testing/section_conformance.hpp"
#include "regrid/section.hpp"
#include "settings/grid_files.hpp"
#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using testing::complaint;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::fields;
using ::testing::HasSubstr;
using testing::parse;

std::string output(const std::string& files) {
  return "tailrace: 1\n" + fields + "output: {" + files + "}\n";
}

std::vector<std::string> paths_of(const Configuration& configuration) {
  std::vector<std::string> paths;
  for (const OutputEntry& file : configuration.files) paths.push_back(file.path);
  return paths;
}

TEST(Regridding, IsGivenForTheInnermostPlace) {
  const Configuration parsed =
      parse("tailrace: 1\n" + fields +
            "defaults: {regrid: {to: {gaussian: F4}}}\n"
            "output:\n"
            "  a.nc: {variables: [{field: u, every: 1 s}]}\n"
            "  b.nc:\n"
            "    regrid: {to: {gaussian: F8}}\n"
            "    variables:\n"
            "      - {field: u, every: 1 s}\n"
            "      - {field: w, every: 1 s, regrid: none}\n"
            "      - defaults: {regrid: {to: {gaussian: F16}}}\n"
            "        variables: [{field: u, name: u2, every: 1 s},\n"
            "                    {field: w, name: w2, every: 1 s, regrid: {to: {gaussian: F32}}}]\n");
  const auto number = [](const VariableEntry& variable) {
    return variable.regrid ? std::get<regrid::Gaussian>(variable.regrid->target).number : 0;
  };
  EXPECT_EQ(number(parsed.files[0].variables[0]), 4);
  std::vector<int> numbers;
  for (const VariableEntry& variable : parsed.files[1].variables) numbers.push_back(number(variable));
  EXPECT_THAT(numbers, ElementsAre(8, 0, 16, 32));
  EXPECT_FALSE(parsed.files[1].variables[0].says_regrid);
  EXPECT_TRUE(parsed.files[1].variables[1].says_regrid);
  EXPECT_TRUE(parsed.files[1].variables[2].says_regrid);
}

TEST(Regridding, RefusesPointsAndSplitVariables) {
  EXPECT_THAT(
      complaint(output("a.nc: {stations: {points: {H: {lat: 1, lon: 2}}}, regrid: {to: {gaussian: F4}}, "
                       "variables: [{field: u, every: 1 s}]}")),
      HasSubstr("output.a.nc.stations: the file regrids its variables, at run.yaml:3:"));
  EXPECT_THAT(complaint(output("a.nc: {regrid: {to: {gaussian: F4}}, "
                               "variables: [{field: u, every: 1 s, split: z}]}")),
              HasSubstr("output.a.nc.variables[0].split: regridded variables cannot be split"));
}

TEST(Regridding, IsRefusedOnceForAFileInTheLayoutOfWrf) {
  const std::string said = complaint(
      "tailrace: 1\n" + fields +
      "defaults: {regrid: {to: {gaussian: F4}}}\n"
      "output: {a.nc: {layout: wrf, variables: [{field: u, every: 1 s}, {field: w, every: 1 s}]}}\n");
  EXPECT_THAT(said,
              HasSubstr("output.a.nc.regrid: a file with `layout: wrf` has no coordinates of the grid"));
  EXPECT_EQ(std::ranges::count(said, '\n'), 0);
}

TEST(Regridding, HasACacheForAll) {
  EXPECT_EQ(parse("tailrace: 1\nregrid: {cache: /scratch/w}\n").sections.get<regrid::Cache>().directory,
            "/scratch/w");
  EXPECT_EQ(parse("tailrace: 1\n").sections.get<regrid::Cache>().directory, ".tailrace/weights");
  EXPECT_THAT(complaint("tailrace: 1\nregrid: {cache: ''}\n"), HasSubstr("regrid.cache: expected the path"));
}

TEST(Pyramids, AreASection) { config::testing::check_section(pyramid_section()); }

TEST(Pyramids, AddAFileForEachLevelAndPeriod) {
  const Configuration parsed =
      parse(output("out/healpix.zarr: {format: zarr, regrid: {to: {healpix: {level: 3}}}, "
                   "pyramid: {levels: 2, periods: [1 day, 1 month]}, "
                   "variables: [{field: u, operation: mean, every: 1 h}, {field: w, every: 2 d}, "
                   "{field: theta, every: 1 h, regrid: none}]}") +
            "model_time: {calendar: standard, start: 2026-01-01}\n");
  EXPECT_THAT(paths_of(parsed),
              ElementsAre("out/healpix.zarr", "out/healpix_z2.zarr", "out/healpix_z1.zarr",
                          "out/healpix_P1D_z3.zarr", "out/healpix_P1D_z2.zarr", "out/healpix_P1D_z1.zarr",
                          "out/healpix_P1M_z3.zarr", "out/healpix_P1M_z2.zarr", "out/healpix_P1M_z1.zarr"));
  const OutputEntry& coarse = parsed.files[2];
  ASSERT_TRUE(coarse.copy);
  EXPECT_EQ(coarse.copy->of, "out/healpix.zarr");
  EXPECT_EQ(coarse.copy->finer, "out/healpix_z2.zarr");
  EXPECT_EQ(coarse.copy->halvings, 2);
  EXPECT_FALSE(coarse.copy->period);
  EXPECT_TRUE(coarse.variables.empty());
  EXPECT_EQ(std::get<regrid::Healpix>(coarse.regrid->target).level, 1);
  const OutputEntry& daily = parsed.files[3];
  ASSERT_EQ(daily.variables.size(), 1u) << "theta is not regridded, and w has no record a day";
  EXPECT_EQ(daily.variables[0].field, "u");
  EXPECT_EQ(daily.variables[0].every, time::Period::parse("1 day"));
  EXPECT_EQ(parsed.files[4].copy->finer, "out/healpix_P1D_z3.zarr");
  EXPECT_EQ(parsed.files[6].variables.size(), 2u);
}

TEST(Pyramids, AreNamedByTheirShapeAndBeforeTheLimitsOfAFile) {
  const Configuration parsed =
      parse(output("'a_{start}-{end}.nc': {new_file_every: 1 d, regrid: {to: {latlon: 15 deg}}, pyramid: "
                   "{levels: 2, periods: "
                   "[15 min]}, variables: [{field: u, every: 1 min}]}"));
  EXPECT_THAT(paths_of(parsed), ElementsAre("a_{start}-{end}.nc", "a_6x12_{start}-{end}.nc",
                                            "a_3x6_{start}-{end}.nc", "a_PT15M_12x24_{start}-{end}.nc",
                                            "a_PT15M_6x12_{start}-{end}.nc", "a_PT15M_3x6_{start}-{end}.nc"));
  const auto& coarse = std::get<regrid::LatLon>(parsed.files[2].regrid->target);
  EXPECT_THAT(coarse.lat, ElementsAre(-60.0, 0.0, 60.0));
  EXPECT_THAT(coarse.lon, ElementsAre(30.0, 90.0, 150.0, 210.0, 270.0, 330.0));
}

TEST(Pyramids, RefuseWhatCannotBeHalved) {
  const auto about = [](const std::string& regrid, const std::string& pyramid) {
    return complaint(
        output("a.nc: {" + regrid + "pyramid: {" + pyramid + "}, variables: [{field: u, every: 1 s}]}"));
  };
  EXPECT_THAT(about("", "levels: 1"),
              HasSubstr("run.yaml:3:26  output.a.nc.pyramid: expected `regrid` of the file"));
  EXPECT_THAT(about("regrid: {to: {healpix: {level: 3, order: ring}}}, ", "levels: 1"),
              HasSubstr("output.a.nc.pyramid.levels: expected `order: nested`"));
  EXPECT_THAT(about("regrid: {to: {healpix: {level: 2}}}, ", "levels: 3"),
              HasSubstr("level 0 is the coarsest one of HEALPix; 2 levels are possible"));
  EXPECT_THAT(
      about("regrid: {to: {latlon: 30 deg}}, ", "levels: 2"),
      HasSubstr("expected an even number of latitudes to be halved, but there are 3; 1 level is possible"));
  EXPECT_THAT(about("regrid: {to: {gaussian: F4}}, ", "levels: 1"), HasSubstr("but got gaussian F4"));
  EXPECT_THAT(about("regrid: {to: {latlon: {lat: [-60, -20, 20, 40], lon: [0, 90]}}}, ", "levels: 1"),
              HasSubstr("expected latitudes of equal distance"));
  EXPECT_THAT(about("regrid: {to: {latlon: {lat: [-90, -30, 30, 90], lon: [0, 90]}}}, ", "levels: 1"),
              HasSubstr("those at the poles are cut"));
  EXPECT_THAT(about("regrid: {to: {healpix: {level: 3}}}, ", "levels: 0"),
              HasSubstr("expected `levels`, `periods`"));
  EXPECT_THAT(about("regrid: {to: {healpix: {level: 3}}}, ", "periods: [10 steps]"),
              HasSubstr("pyramid.periods[0]: expected a length of time"));
  EXPECT_THAT(about("regrid: {to: {healpix: {level: 3}}}, ", "periods: [1 d, 24 h]"),
              HasSubstr("is given twice"));
}

TEST(Pyramids, NeedACalendarForMonths) {
  EXPECT_THAT(complaint(output("a.nc: {regrid: {to: {healpix: {level: 3}}}, pyramid: {periods: [1 month]}, "
                               "variables: [{field: u, every: 1 s}]}")),
              HasSubstr("output.a.nc.pyramid.periods: no step can meet \"every month\""));
}

TEST(Pyramids, WaitForTheOptionsOfTheModel) {
  const Sources sources{{"run.yaml", output("a.nc: {regrid: {to: {healpix: {level: '{level}'}}}, "
                                            "pyramid: {levels: 1}, variables: [{field: u, every: 1 s}]}")}};
  const Configuration open = parse_configuration(sources, nullptr);
  EXPECT_EQ(open.files.size(), 1u);
  const Configuration known = with_options(open, sources, {{"level", "3"}});
  EXPECT_THAT(paths_of(known), ElementsAre("a.nc", "a_z2.nc"));
}

// A header without values, and values by name.
struct File {
  input::FileHeader header;
  std::map<std::string, std::vector<double>> values;

  input::VariableHeader& add(const std::string& name, std::vector<std::string> dims,
                             std::vector<std::int64_t> shape) {
    input::VariableHeader variable;
    variable.name = name;
    variable.dims = std::move(dims);
    variable.shape = std::move(shape);
    variable.is_number = true;
    header.variables.push_back(variable);
    return header.variables.back();
  }
  regrid::Target grid() const {
    const regrid::Target found =
        grid_of("g.nc", header, [&](const input::VariableHeader& of) { return values.at(of.name); });
    EXPECT_EQ(target_of(summary_of(found)), found);
    return found;
  }
  std::string complaint() const {
    try {
      grid();
      return "none";
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST(GridFiles, HaveRowsAndColumns) {
  File file;
  file.add("lat", {"lat"}, {3}).attributes["units"] = "degrees_north";
  file.header.variables.back().attributes["bounds"] = "lat_b";
  file.add("lon", {"lon"}, {2}).attributes["units"] = "degrees_east";
  file.add("lat_b", {"lat", "b"}, {3, 2});
  file.values = {{"lat", {-60, 0, 60}}, {"lon", {90, 270}}, {"lat_b", {-90, -30, -30, 30, 30, 90}}};
  EXPECT_EQ(file.grid(), regrid::Target(regrid::LatLon{{-60, 0, 60}, {90, 270}}));
  file.values["lat_b"] = {-90, -20, -20, 20, 20, 90};
  EXPECT_EQ(file.grid(), regrid::Target(regrid::GridFile{
                             .path = "g.nc", .dims = {"lat", "lon"}, .shape = {3, 2}, .corners = 4}));
}

TEST(GridFiles, MayHaveRadians) {
  File file;
  file.add("lat", {"lat"}, {3}).attributes = {{"standard_name", "latitude"}, {"units", "radian"}};
  file.add("lon", {"lon"}, {2}).attributes = {{"standard_name", "longitude"}, {"units", "radian"}};
  file.values = {{"lat", {-std::numbers::pi / 3, 0, std::numbers::pi / 3}},
                 {"lon", {std::numbers::pi / 2, 3 * std::numbers::pi / 2}}};
  const auto grid = std::get<regrid::LatLon>(file.grid());
  EXPECT_THAT(grid.lat, ElementsAre(DoubleNear(-60, 1e-12), 0.0, DoubleNear(60, 1e-12)));
  EXPECT_THAT(grid.lon, ElementsAre(DoubleNear(90, 1e-12), DoubleNear(270, 1e-12)));
}

TEST(GridFiles, HaveTwoDimensionalCoordinates) {
  File file;
  file.add("tas", {"y", "x"}, {5, 7});
  file.add("yc", {"y", "x"}, {5, 7}).attributes["standard_name"] = "latitude";
  file.header.variables.back().attributes["bounds"] = "yv";
  file.add("xc", {"y", "x"}, {5, 7}).attributes["standard_name"] = "longitude";
  EXPECT_EQ(file.grid(), regrid::Target(regrid::GridFile{
                             .path = "g.nc", .dims = {"y", "x"}, .shape = {5, 7}, .corners = 0}));
  file.add("yv", {"y", "x", "v"}, {5, 7, 4});
  EXPECT_EQ(std::get<regrid::GridFile>(file.grid()).corners, 4);
}

TEST(GridFiles, HaveMeshesScripAndHealpix) {
  File mesh;
  input::VariableHeader& topology = mesh.add("mesh", {}, {});
  topology.attributes = {
      {"cf_role", "mesh_topology"}, {"face_node_connectivity", "nodes"}, {"face_dimension", "f"}};
  mesh.add("nodes", {"three", "f"}, {3, 80});
  EXPECT_EQ(mesh.grid(),
            regrid::Target(regrid::GridFile{.path = "g.nc", .dims = {"f"}, .shape = {80}, .corners = 3}));

  File scrip;
  scrip.add("grid_dims", {"rank"}, {2});
  scrip.add("grid_center_lat", {"size"}, {35});
  scrip.add("grid_corner_lat", {"size", "corners"}, {35, 4});
  scrip.values["grid_dims"] = {7, 5};
  EXPECT_EQ(scrip.grid(), regrid::Target(regrid::GridFile{
                              .path = "g.nc", .dims = {"y", "x"}, .shape = {5, 7}, .corners = 4}));

  File healpix;
  healpix.add("crs", {}, {}).attributes = {
      {"grid_mapping_name", "healpix"}, {"healpix_nside", std::vector<double>{8}}, {"healpix_order", "ring"}};
  EXPECT_EQ(healpix.grid(), regrid::Target(regrid::Healpix{3, regrid::HealpixOrder::ring}));
}

TEST(GridFiles, WithoutAGridAreRefused) {
  File file;
  EXPECT_THAT(file.complaint(),
              HasSubstr("expected variables with the standard_names latitude and longitude"));
  file.add("lat", {"a"}, {3});
  file.add("lon", {"a", "b"}, {3, 2});
  EXPECT_THAT(file.complaint(), HasSubstr("expected \"lat\" and \"lon\" along the same dimensions"));
  File cube;
  cube.add("lat", {"a", "b", "c"}, {3, 2, 4});
  cube.add("lon", {"a", "b", "c"}, {3, 2, 4});
  EXPECT_THAT(cube.complaint(), HasSubstr("expected a grid of one or two dimensions with cells"));
  File mapping;
  mapping.add("crs", {}, {}).attributes = {{"grid_mapping_name", "healpix"}};
  EXPECT_THAT(mapping.complaint(), HasSubstr("has no `refinement_level`"));
  auto& attributes = mapping.header.variables.back().attributes;
  attributes["healpix_nside"] = std::vector<double>{7};
  EXPECT_THAT(mapping.complaint(), HasSubstr("has the level 2.8"));
  attributes["refinement_level"] = std::vector<double>{3};
  EXPECT_THAT(mapping.complaint(), HasSubstr("has the `indexing_scheme` \"\"; expected nested or ring"));
  attributes["indexing_scheme"] = "zuniq";
  EXPECT_THAT(mapping.complaint(), HasSubstr("has the `indexing_scheme` \"zuniq\""));
}

TEST(GridFiles, ReplaceTheTargetsThatNameThem) {
  const std::map<std::string, std::string> none;
  const regrid::GridFile grid{.path = "in/g.nc", .dims = {"c"}, .shape = {80}, .corners = 3, .identity = "7"};
  const Configuration parsed = parse_configuration(
      {{"in/run.yaml", output("a.nc: {regrid: {to: {file: g.nc}}, variables: [{field: u, every: 1 s}]}")},
       {"in/g.nc", summary_of(grid), true}},
      &none);
  EXPECT_EQ(parsed.files[0].variables[0].regrid->target, regrid::Target(grid));
}

}  // namespace
}  // namespace tailrace::settings
