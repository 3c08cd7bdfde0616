#include "regrid/target_grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::regrid {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

model::Coordinate coordinate(std::string name, std::vector<std::string> dims, std::string units) {
  model::Coordinate made;
  made.name = std::move(name);
  made.dims = std::move(dims);
  made.units = std::move(units);
  return made;
}

model::Grid atmosphere() {
  model::Grid grid;
  grid.name = "atmosphere";
  grid.kind = model::GridKind::block;
  grid.dims = {"y", "z", "x"};
  grid.shape = {5, 3, 7};
  grid.coordinates = {coordinate("z", {"z"}, "m"), coordinate("lat", {"y", "x"}, "degrees_north"),
                      coordinate("lon", {"y", "x"}, "degrees_east"), coordinate("height", {}, "m"),
                      coordinate("altitude", {"y", "z", "x"}, "m")};
  grid.mapping = model::GridMapping{"rotated_pole", {}};
  return grid;
}

const model::Coordinate& named(const model::Grid& grid, const std::string& name) {
  for (const model::Coordinate& one : grid.coordinates)
    if (one.name == name) return one;
  throw std::runtime_error("no coordinate " + name);
}

std::vector<std::string> names(const model::Grid& grid) {
  std::vector<std::string> made;
  for (const model::Coordinate& one : grid.coordinates) made.push_back(one.name);
  return made;
}

TEST(TargetGrid, ReplacesTheHorizontalDims) {
  const model::Grid grid =
      target_grid(LatLon{{-60, 0, 60}, {45, 135, 225, 315}}, atmosphere(), {0, 2}, "copy");
  EXPECT_EQ(grid.name, "copy");
  EXPECT_THAT(grid.dims, ElementsAre("lat", "lon", "z"));
  EXPECT_THAT(grid.shape, ElementsAre(3, 4, 3));
  EXPECT_THAT(names(grid), ElementsAre("z", "height", "lat", "lon"));
  EXPECT_FALSE(grid.mapping);
  EXPECT_THAT(named(grid, "lat").values, ElementsAre(-60, 0, 60));
  EXPECT_THAT(named(grid, "lat").bounds, ElementsAre(-90, -30, -30, 30, 30, 90));
  EXPECT_THAT(named(grid, "lon").bounds, ElementsAre(0, 90, 90, 180, 180, 270, 270, 360));
  EXPECT_EQ(named(grid, "lat").units, "degrees_north");
  EXPECT_EQ(named(grid, "lon").standard_name, "longitude");
}

TEST(TargetGrid, OfHealpixHasItsGridMapping) {
  const model::Grid grid = target_grid(Healpix{3, HealpixOrder::ring}, atmosphere(), {0, 2}, "healpix");
  EXPECT_THAT(grid.dims, ElementsAre("cell", "z"));
  EXPECT_THAT(grid.shape, ElementsAre(768, 3));
  const model::Coordinate& cell = named(grid, "cell");
  EXPECT_TRUE(cell.values.empty());  // nobody holds them all
  EXPECT_EQ(cell.standard_name, "healpix_index");
  ASSERT_TRUE(grid.mapping);
  const model::Attributes expected{
      {"grid_mapping_name", "healpix"}, {"refinement_level", std::int32_t{3}}, {"indexing_scheme", "ring"}};
  EXPECT_EQ(grid.mapping->attributes, expected);
}

TEST(TargetGrid, OfAFileHasTheNamesOfItsDims) {
  const model::Grid grid =
      target_grid(GridFile{"a.nc", {"lat", "i"}, {4, 6}, 4}, atmosphere(), {0, 2}, "file");
  EXPECT_THAT(grid.dims, ElementsAre("lat", "i", "z"));
  EXPECT_THAT(named(grid, "latitude").dims, ElementsAre("lat", "i"));  // "lat" would be a coordinate variable
  EXPECT_THAT(named(grid, "lon").dims, ElementsAre("lat", "i"));
}

// By numpy.polynomial.legendre.leggauss: arcsin of the nodes.
TEST(TargetGrid, HasGaussianLatitudes) {
  EXPECT_THAT(gaussian_latitudes(2),
              ElementsAre(DoubleNear(35.264389682754654, 1e-12), DoubleNear(-35.264389682754654, 1e-12)));
  const std::vector<double> f32 = gaussian_latitudes(64), f640 = gaussian_latitudes(1280);
  EXPECT_NEAR(f32[0], 87.8637988392326, 1e-11);
  EXPECT_NEAR(f32[1], 85.0965269883173, 1e-11);
  EXPECT_NEAR(f32[31], 1.3953069108195, 1e-11);
  EXPECT_NEAR(f32[63], -87.8637988392326, 1e-11);
  EXPECT_NEAR(f640[0], 89.8923964455901, 1e-11);
  EXPECT_NEAR(f640[1], 89.753004943174, 1e-11);
  EXPECT_NEAR(f640[639], 0.0702850395461973, 1e-11);
  EXPECT_NEAR(f640[1279], -89.8923964455901, 1e-11);
  const model::Grid grid = target_grid(Gaussian{2}, atmosphere(), {0, 2}, "gaussian");
  EXPECT_THAT(grid.shape, ElementsAre(4, 8, 3));
  EXPECT_EQ(named(grid, "lat").bounds.front(), 90.0);
  EXPECT_EQ(named(grid, "lat").bounds[3], 0.0);
  EXPECT_EQ(named(grid, "lat").bounds.back(), -90.0);
  EXPECT_THAT(named(grid, "lon").values, ElementsAre(0, 45, 90, 135, 180, 225, 270, 315));
}

TEST(TargetGrid, KeepsBoundsOnTheSphere) {
  EXPECT_THAT(latitude_bounds({30, 40, 60}, false), ElementsAre(25, 35, 35, 50, 50, 70));  // regional
  EXPECT_THAT(latitude_bounds({90, 0, -90}, false), ElementsAre(90, 45, 45, -45, -45, -90));
  EXPECT_THAT(latitude_bounds({12}, false), ElementsAre(-90, 90));
  EXPECT_THAT(longitude_bounds({10}), ElementsAre(-170, 190));
}

TEST(TargetGrid, HasATextAndAUnit) {
  const Target all[] = {LatLon{{1, 2}, {3, 4, 5}}, Gaussian{128}, Healpix{8, HealpixOrder::nested},
                        GridFile{"grid.nc", {"cell"}, {9}, 0}};
  const char* const texts[] = {"lat-lon 2 x 3", "gaussian F128", "healpix level 8 nested", "grid of grid.nc"};
  const std::int64_t units[] = {3, 512, 1, 1}, cells[] = {6, 131072, 786432, 9};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    EXPECT_EQ(text_of(all[i]), texts[i]);
    EXPECT_EQ(unit_of(all[i]), units[i]);
    EXPECT_EQ(cells_of(all[i]), cells[i]);
  }
}

model::Declarations with(model::Grid grid) {
  model::Declarations made;
  made.grids.push_back(std::move(grid));
  return made;
}

std::string refusal(model::Grid grid, Method method) {
  try {
    horizontal_dims(with(std::move(grid)), 0, method);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return "";
}

TEST(HorizontalDims, AreThoseOfLatitudeAndLongitude) {
  const HorizontalDims found = horizontal_dims(with(atmosphere()), 0, Method::bilinear);
  EXPECT_THAT(found.dims, ElementsAre(0, 2));
  EXPECT_THAT(found.shape, ElementsAre(5, 7));
  model::Grid grid = atmosphere();
  grid.coordinates = {coordinate("lon", {"x"}, "degrees_east"), coordinate("lat", {"y"}, "degrees_north")};
  EXPECT_THAT(horizontal_dims(with(grid), 0, Method::nearest).dims, ElementsAre(0, 2));
}

TEST(HorizontalDims, AreTheCellsOfAMeshOrOfHealpix) {
  model::Grid mesh;
  mesh.name = "mesh";
  mesh.kind = model::GridKind::indexed;
  mesh.dims = {"z", "face"};
  mesh.shape = {3, 20};
  mesh.indexed_dim = "face";
  mesh.mesh.emplace();
  EXPECT_THAT(horizontal_dims(with(mesh), 0, Method::conservative).dims, ElementsAre(1));
  mesh.mesh->node_units = "m";
  EXPECT_THAT(refusal(mesh, Method::nearest), HasSubstr("lie in a plane, in m"));
  model::Grid healpix;
  healpix.dims = {"z", "pixel"};
  healpix.shape = {3, 48};
  healpix.mapping = model::GridMapping{"crs", {{"grid_mapping_name", "healpix"}}};
  EXPECT_THAT(horizontal_dims(with(healpix), 0, Method::conservative).dims, ElementsAre(1));
  healpix.shape = {12, 48};
  healpix.coordinates = {coordinate("id", {"pixel"}, "1")};
  healpix.coordinates[0].standard_name = "healpix_index";
  EXPECT_THAT(horizontal_dims(with(healpix), 0, Method::conservative).shape, ElementsAre(48));
  EXPECT_EQ(healpix_of(healpix), (Healpix{1, HealpixOrder::nested})) << "of 48 cells, not of the 12 levels";
  healpix.mapping->attributes["indexing_scheme"] = std::string("ring");
  EXPECT_EQ(healpix_of(healpix), (Healpix{1, HealpixOrder::ring}));
  EXPECT_EQ(healpix_of(atmosphere()), std::nullopt);
}

TEST(CellsOfRanks, AreThoseThatTheDeclarationsDoNotTell) {
  model::Grid grid = atmosphere();
  EXPECT_FALSE(only_ranks_know_cells(grid));
  grid.coordinates = {coordinate("lat", {"y", "x"}, "degrees_north"),
                      coordinate("lon", {"y", "x"}, "degrees_east")};
  for (model::Coordinate& one : grid.coordinates) one.values = {1.0};
  EXPECT_FALSE(only_ranks_know_cells(grid));
  grid.coordinates[1].bounds_field = 4;
  EXPECT_TRUE(only_ranks_know_cells(grid));
  grid.mapping = model::GridMapping{"crs", {{"grid_mapping_name", "healpix"}}};
  EXPECT_FALSE(only_ranks_know_cells(grid)) << "the numbers of the cells tell their places";
  grid.mapping.reset();
  grid.coordinates.clear();
  grid.mesh.emplace();
  EXPECT_TRUE(only_ranks_know_cells(grid));
}

TEST(HorizontalDims, AreRefusedWithWhatIsMissing) {
  EXPECT_THAT(
      refusal(atmosphere(), Method::conservative),
      HasSubstr("grid \"atmosphere\" cannot be regridded: method conservative needs the corners of its "
                "cells, and \"lat\" and \"lon\" have no bounds"));
  model::Grid grid = atmosphere();
  grid.coordinates[1].bounds_field = 4;
  EXPECT_THAT(refusal(grid, Method::largest_area), HasSubstr("and \"lon\" has no bounds"));
  grid.coordinates[2].bounds_field = 5;
  EXPECT_NO_THROW(horizontal_dims(with(grid), 0, Method::largest_area));
  grid.coordinates.erase(grid.coordinates.begin() + 2);
  EXPECT_THAT(refusal(grid, Method::nearest), HasSubstr("it has no longitude; declare a coordinate with the "
                                                        "units degrees_east"));
  grid.coordinates.clear();
  EXPECT_THAT(refusal(grid, Method::nearest), HasSubstr("it has no latitude and longitude"));
  grid = atmosphere();
  grid.kind = model::GridKind::partial;
  EXPECT_THAT(refusal(grid, Method::nearest), HasSubstr("every rank has a contribution"));
  grid = atmosphere();
  grid.coordinates[1].dims = {"y", "z", "x"};
  EXPECT_THAT(refusal(grid, Method::nearest),
              HasSubstr("do not give the places of cells along one or two dims"));
  grid = atmosphere();
  grid.coordinates[1].units = "radian";
  grid.coordinates[1].standard_name = "latitude";
  EXPECT_THAT(refusal(grid, Method::nearest), HasSubstr("\"lat\" is in \"radian\"; expected degrees"));
}

TEST(CellGeometry, SurvivesAMessage) {
  const CellGeometry cells{{1, 2}, {3, 4}, {1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}, 3};
  base::ByteWriter writer;
  cells.put(writer);
  CellGeometry{}.put(writer);
  base::ByteReader reader(writer.bytes());
  const CellGeometry got = CellGeometry::get(reader);
  EXPECT_EQ(got.lat, cells.lat);
  EXPECT_EQ(got.lon, cells.lon);
  EXPECT_EQ(got.lat_corners, cells.lat_corners);
  EXPECT_EQ(got.lon_corners, cells.lon_corners);
  EXPECT_EQ(got.corners, 3);
  EXPECT_TRUE(CellGeometry::get(reader).lat.empty());
}

TEST(CellGeometry, OfOtherBytesIsABug) {
  const CellGeometry cells{{1, 2}, {3}, {}, {}, 0};
  base::ByteWriter writer;
  cells.put(writer);
  base::ByteReader reader(writer.bytes());
  EXPECT_THROW(CellGeometry::get(reader), Error);
  base::ByteReader truncated(writer.bytes().first(20));
  EXPECT_THROW(CellGeometry::get(truncated), Error);
}

}  // namespace
}  // namespace tailrace::regrid
