// Tests which declarations of a rank are accepted and which are refused, with the messages that a user
// reads.
#include "client/declarer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::client {
namespace {

using model::GridKind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

GridArguments block(std::string name, std::vector<std::string> dims, std::vector<std::int64_t> shape,
                    std::vector<std::int64_t> offset, std::vector<std::int64_t> count) {
  GridArguments grid;
  grid.name = std::move(name);
  grid.dims = std::move(dims);
  grid.shape = std::move(shape);
  grid.offset = std::move(offset);
  grid.count = std::move(count);
  return grid;
}

GridArguments whole(std::string name, std::vector<std::string> dims, std::vector<std::int64_t> shape) {
  return block(std::move(name), std::move(dims), std::move(shape), {}, {});
}

GridArguments indexed(std::span<const std::int64_t> indices) {
  GridArguments grid = whole("icon", {"height", "cell"}, {3, 10});
  grid.indexed_dim = "cell";
  grid.indices = indices;
  return grid;
}

model::Coordinate coordinate(std::string name, std::vector<std::string> dims = {}) {
  model::Coordinate coordinate;
  coordinate.name = std::move(name);
  coordinate.dims = std::move(dims);
  return coordinate;
}

model::Field field(std::string name) {
  model::Field field;
  field.name = std::move(name);
  return field;
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "no error";
}

std::vector<double> doubles(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Declarer, RefusesExtentsWhoseProductIsNoNumber) {
  Declarer declarer("atm", 0, 4);
  constexpr std::int64_t huge = std::int64_t{1} << 31;
  EXPECT_EQ(error_of([&] {
              declarer.grid(whole("g", {"z", "y", "x"}, {huge, huge, 4}));
            }),
            "grid \"g\" has the extents 2147483648 x 2147483648 x 4: more than 2^60 cells");
  EXPECT_EQ(
      error_of([&] { declarer.grid(block("g", {"x"}, {7}, {5}, {INT64_MAX})); }),
      "grid \"g\": along x this rank's block starts at 5 (counted from 0) and has 9223372036854775807 cells, "
      "but the dim has 7");
}

TEST(Declarer, RefusesNamesThatNoFileCanHold) {
  Declarer declarer("atm", 0, 4);
  const std::string name(300, 'n');
  const std::string cut = std::string(60, 'n') + "...";
  EXPECT_EQ(error_of([&] { declarer.field("", field(name)); }),
            "field \"" + cut + "\": the name has 300 bytes; at most 256 are possible");
  EXPECT_EQ(error_of([&] { declarer.grid(whole("g", {"a/b"}, {7})); }),
            "grid \"g\": dim \"a/b\": the name has a \"/\", which separates groups in netCDF");
  EXPECT_EQ(error_of([&] { declarer.grid(whole("g\n", {"x"}, {7})); }),
            "grid \"g\\x0a\": the name has a control character at byte 2");
  declarer.grid(whole("g", {"x"}, {7}));
  const std::vector<double> values(7);
  EXPECT_EQ(error_of([&] { declarer.coordinate("g", coordinate("lon ", {"x"}), values); }),
            "grid \"g\": coordinate \"lon \": the name ends in a space");
}

TEST(Declarer, GivesAttributesOneByOne) {
  Declarer declarer("atm", 0, 4);
  declarer.field("", field("h"));
  declarer.set_attribute("h", "coordinates", "lat lon");
  declarer.set_attribute("h", "stagger", "");
  declarer.set_attribute("", "DX", 1.0);
  declarer.set_attribute("", "DX", 3000.0F);  // the last value counts
  EXPECT_EQ(declarer.declarations().attributes, (model::Attributes{{"DX", 3000.0F}}));
  EXPECT_EQ(declarer.declarations().fields[0].attributes,
            (model::Attributes{{"coordinates", "lat lon"}, {"stagger", ""}}));
  EXPECT_THAT(error_of([&] { declarer.set_attribute("g", "stagger", ""); }),
              testing::StartsWith("attribute \"stagger\": field \"g\" was not declared."));
  EXPECT_THAT(error_of([&] { declarer.set_attribute("", "_FillValue", 1.0); }),
              testing::StartsWith("attribute \"_FillValue\" is written automatically"));
  EXPECT_THAT(
      error_of([&] { declarer.set_attribute("h", "scale_factor", 1.0); }),
      testing::StartsWith("field \"h\": attribute \"scale_factor\" would make readers change values"));
}

TEST(Declarer, RefusesAttributesOfTheFormatsOwn) {
  Declarer declarer("atm", 0, 4);
  model::Field with = field("h");
  with.attributes["DIMENSION_LIST"] = "x";
  EXPECT_EQ(error_of([&] { declarer.field("", with); }),
            "field \"h\": attribute \"DIMENSION_LIST\" is reserved: netCDF or HDF5 uses it internally; "
            "give the attribute another name");
  with.attributes = {{"grid_mapping", "crs"}};
  EXPECT_THAT(
      error_of([&] { declarer.field("", with); }),
      testing::StartsWith("field \"h\": attribute \"grid_mapping\" is written automatically, from the "
                          "`grid_mapping` of the grid"));
  with.attributes = {{"valid_range", std::vector<double>{1, 2, 3}}};
  EXPECT_EQ(error_of([&] { declarer.field("", with); }),
            "field \"h\": attribute \"valid_range\" must have the type of the variable; expected two numbers "
            "of type "
            "float64, but got 1, 2, 3");
  with.attributes = {{"comment", "caf\xE9"}};
  EXPECT_EQ(error_of([&] { declarer.field("", with); }),
            "field \"h\": the value of attribute \"comment\" is not UTF-8 from byte 4 on");
  declarer.grid(whole("g", {"x"}, {7}));
  model::Coordinate x = coordinate("x");
  x.attributes["REFERENCE_LIST"] = "x";
  EXPECT_EQ(error_of([&] { declarer.coordinate("g", x, std::vector<double>(7)); }),
            "grid \"g\": coordinate \"x\": attribute \"REFERENCE_LIST\" is reserved: netCDF or HDF5 uses it "
            "internally; give the attribute another name");
}

TEST(Declarer, ABlockIsWhatThisRankHolds) {
  Declarer declarer("bubble", 1, 4);
  declarer.grid(block("les", {"z", "y", "x"}, {4, 8, 6}, {0, 2, 3}, {4, 2, 3}));
  EXPECT_EQ(declarer.declarations().grids[0].kind, GridKind::block);
  EXPECT_EQ(declarer.regions()[0], model::Region::of_box({{0, 2, 3}, {4, 2, 3}}));
  EXPECT_THAT(declarer.local_shapes()[0], ElementsAre(4, 2, 3));
}

TEST(Declarer, AnIndexedGridKeepsItsCellsInTheOrderGiven) {
  Declarer declarer("icon", 0, 4);
  const std::vector<std::int64_t> cells{7, 8, 9, 2, 3, 0};
  declarer.grid(indexed(cells));
  EXPECT_EQ(declarer.declarations().grids[0].kind, GridKind::indexed);
  EXPECT_EQ(declarer.regions()[0], model::Region({{{0, 3}}, {{7, 3}, {2, 2}, {0, 1}}}));
  EXPECT_THAT(declarer.local_shapes()[0], ElementsAre(3, 6));
}

TEST(Declarer, OnlyTheFirstRankHandsAReplicatedGridOver) {
  for (const int rank : {0, 1}) {
    Declarer declarer("bubble", rank, 4);
    declarer.grid(whole("profile", {"z"}, {5}));
    EXPECT_EQ(declarer.declarations().grids[0].kind, GridKind::replicated);
    EXPECT_EQ(declarer.regions()[0].size(), rank == 0 ? 5 : 0);
    EXPECT_THAT(declarer.local_shapes()[0], ElementsAre(5)) << "a put brings the whole everywhere";
  }
}

TEST(Declarer, EveryRankHoldsTheWholeOfAPartialGrid) {
  Declarer declarer("bubble", 3, 4);
  GridArguments grid = whole("sums", {"z"}, {5});
  grid.partial = true;
  declarer.grid(grid);
  EXPECT_EQ(declarer.declarations().grids[0].kind, GridKind::partial);
  EXPECT_EQ(declarer.regions()[0].size(), 5);
}

TEST(Declarer, ScalarsShareAGridWithoutDims) {
  for (const int rank : {0, 2}) {
    Declarer declarer("bubble", rank, 4);
    EXPECT_EQ(declarer.field("", field("energy")), 0);
    EXPECT_EQ(declarer.field("", field("mass")), 1);
    EXPECT_THAT(declarer.declarations().grids, SizeIs(1));
    EXPECT_THAT(declarer.local_shapes()[0], IsEmpty());
  }
}

TEST(Declarer, RefusesGridsThatMakeNoSense) {
  Declarer declarer("bubble", 0, 4);
  EXPECT_EQ(error_of([&] { declarer.grid(whole("", {"x"}, {4})); }),
            "grid number 1: expected a name, but it is empty");
  EXPECT_EQ(error_of([&] {
              declarer.grid(whole("g", {"z", "y"}, {4}));
            }),
            "grid \"g\" has 2 dims (z, y) but a shape of 1 extents (4)");
  EXPECT_EQ(error_of([&] {
              declarer.grid(whole("g", {"a", "b", "c", "d", "e", "f"}, {1, 1, 1, 1, 1, 1}));
            }),
            "grid \"g\" has 6 dims; at most 5 are possible");
  EXPECT_EQ(error_of([&] {
              declarer.grid(whole("g", {"z", "y"}, {4, 0}));
            }),
            "grid \"g\": dim y has the extent 0; at least 1 is expected");
  EXPECT_EQ(error_of([&] {
              declarer.grid(whole("g", {"x", "x"}, {4, 6}));
            }),
            "grid \"g\" names the dim x twice");
  EXPECT_EQ(error_of([&] {
              declarer.grid(block("g", {"y", "x"}, {4, 6}, {0, 3}, {4}));
            }),
            "grid \"g\" has 2 dims, but 2 offsets and 1 counts");
  EXPECT_EQ(error_of([&] {
              declarer.grid(block("g", {"y", "x"}, {4, 5}, {0, 3}, {4, 6}));
            }),
            "grid \"g\": along x this rank's block starts at 3 (counted from 0) and has 6 cells, but the dim "
            "has 5");
  EXPECT_EQ(error_of([&] { declarer.grid(block("g", {"x"}, {4}, {-1}, {2})); }),
            "grid \"g\": along x this rank's block starts at -1 (counted from 0) and has 2 cells, but the "
            "dim has 4");
  EXPECT_THAT(declarer.declarations().grids, IsEmpty()) << "what was refused is not there";
  declarer.grid(whole("g", {"x"}, {4}));
  EXPECT_EQ(error_of([&] { declarer.grid(whole("g", {"x"}, {4})); }), "grid \"g\" was declared before");
}

TEST(Declarer, RefusesIndicesThatLieOutside) {
  Declarer declarer("icon", 0, 4);
  const std::vector<std::int64_t> cells{3, 10};
  EXPECT_EQ(error_of([&] { declarer.grid(indexed(cells)); }),
            "grid \"icon\": the index 10 (counted from 0) is outside dim cell, which has 10 cells");
  GridArguments grid = indexed({});
  grid.indexed_dim = "cells";
  EXPECT_EQ(error_of([&] { declarer.grid(grid); }),
            "grid \"icon\" has no dim \"cells\" to be indexed. Did you mean \"cell\"? (known: cell, height)");
}

TEST(Declarer, RefusesWhatIsDeclaredTwiceOrOnUnknownGrids) {
  Declarer declarer("bubble", 0, 4);
  declarer.option("nx", "64");
  declarer.option("nx", "64");
  EXPECT_EQ(error_of([&] { declarer.option("nx", "65"); }), "option \"nx\" was given twice: 64 and 65");
  declarer.grid(whole("les", {"z"}, {4}));
  declarer.field("les", field("w"));
  EXPECT_EQ(error_of([&] { declarer.field("les", field("w")); }), "field \"w\" was declared before");
  EXPECT_EQ(error_of([&] { declarer.field("les", field("")); }),
            "field number 3, after \"w\": expected a name, but it is empty");
  EXPECT_EQ(error_of([&] { declarer.field("les", field(std::string("\0u", 2))); }),
            "field number 3, after \"w\": expected a name, but it begins with a NUL character");
  EXPECT_EQ(error_of([&] { declarer.field("les", field(std::string("u\0", 2))); }),
            "field number 3, after \"w\": expected a name, but it contains a NUL character");
  EXPECT_EQ(error_of([&] { declarer.field("lse", field("u")); }),
            "grid \"lse\" was not declared. Did you mean \"les\"? (known: les)");
}

TEST(Declarer, InputsAreFieldsThatNobodyPuts) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(whole("les", {"z"}, {4}));
  declarer.field("les", field("w"));
  EXPECT_EQ(declarer.input("les", field("sst")), 1);
  EXPECT_EQ(declarer.input("", field("co2")), 2);
  EXPECT_TRUE(declarer.declarations().fields[1].is_input);
  EXPECT_FALSE(declarer.declarations().fields[0].is_input);
  EXPECT_EQ(declarer.declarations().grids[base::index(declarer.declarations().fields[2].grid)].size(), 1);
  EXPECT_EQ(error_of([&] { declarer.input("les", field("w")); }), "field \"w\" was declared before");
  EXPECT_EQ(error_of([&] { declarer.input("les", field("")); }),
            "input number 4, after \"w\": expected a name, but it is empty");
  EXPECT_EQ(error_of([&] { declarer.input("lse", field("t")); }),
            "grid \"lse\" was not declared. Did you mean \"les\"? (known: , les)");
  GridArguments sums = whole("sums", {"z"}, {4});
  sums.partial = true;
  declarer.grid(sums);
  EXPECT_EQ(
      error_of([&] { declarer.input("sums", field("t")); }),
      "input \"t\": grid \"sums\" is partial: each rank holds a contribution, which no file has; expected "
      "a grid of the other kinds");
}

TEST(Declarer, ACoordinateIsWholeOrThisRanksPart) {
  Declarer declarer("bubble", 1, 4);
  declarer.grid(block("les", {"y", "x"}, {4, 6}, {0, 3}, {4, 3}));
  declarer.coordinate("les", coordinate("y"), std::vector<double>{1, 2, 3, 4});
  declarer.coordinate("les", coordinate("x"), std::vector<double>{30, 40, 50});
  declarer.settle_coordinates();
  const model::Grid& grid = declarer.declarations().grids[0];
  ASSERT_THAT(grid.coordinates, SizeIs(2));
  EXPECT_THAT(grid.coordinates[0].values, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(grid.coordinates[0].dims, ElementsAre("y"));
  EXPECT_FALSE(grid.coordinates[0].field);
  ASSERT_TRUE(grid.coordinates[1].field);
  const model::Field& carried = declarer.declarations().fields[base::index(*grid.coordinates[1].field)];
  EXPECT_TRUE(carried.is_static);
  EXPECT_EQ(carried.name, "les:x");
  EXPECT_THAT(declarer.declarations().field_names(), IsEmpty()) << "a model does not see it among its fields";
  ASSERT_THAT(declarer.statics(), SizeIs(1)) << "this rank holds row 0, so it hands x over";
  EXPECT_THAT(doubles(declarer.statics()[0].bytes), ElementsAre(30, 40, 50));
  EXPECT_EQ(declarer.regions()[base::index(carried.grid)], model::Region::of_box({{3}, {3}}));
}

TEST(Declarer, RanksAwayFromTheOriginLeaveASharedPartToOthers) {
  Declarer declarer("bubble", 3, 4);
  declarer.grid(block("les", {"y", "x"}, {4, 6}, {2, 3}, {2, 3}));
  declarer.coordinate("les", coordinate("x"), std::vector<double>{30, 40, 50});
  declarer.settle_coordinates();
  EXPECT_THAT(declarer.statics(), IsEmpty());
  EXPECT_EQ(declarer.regions()[1].size(), 0);
  EXPECT_EQ(declarer.declarations().grids.size(), 2U) << "all ranks declare the same";
}

TEST(Declarer, SeveralBlocksFollowOneAnother) {
  Declarer declarer("ocean", 1, 4);
  declarer.grid(block("sea", {"y", "x"}, {4, 6}, {2, 3}, {2, 3}));
  declarer.add_block("sea", {0, 0}, {1, 2});
  declarer.add_block("sea", {0, 4}, {2, 1});
  EXPECT_EQ(declarer.blocks(0),
            (std::vector{model::Region::of_box({{2, 3}, {2, 3}}), model::Region::of_box({{0, 0}, {1, 2}}),
                         model::Region::of_box({{0, 4}, {2, 1}})}));
  EXPECT_EQ(declarer.most_blocks(), 3U);
  EXPECT_EQ(declarer.cells(0), 10);
  EXPECT_THAT(declarer.local_shapes()[0], ElementsAre(10));
  EXPECT_EQ(error_of([&] {
              declarer.coordinate("sea", coordinate("y"), std::vector<double>{2, 3, 0, 0, 1});
            }),
            "coordinate \"y\" of grid \"sea\" has 5 values; 4 (the whole) are expected along one dimension, "
            "since this "
            "rank has several blocks");
  declarer.coordinate("sea", coordinate("x"), std::vector<double>{0, 10, 20, 30, 40, 50});
  EXPECT_THAT(declarer.statics(), IsEmpty());
  model::Coordinate area = coordinate("area");
  area.dims = {"y", "x"};
  declarer.coordinate("sea", area, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  declarer.settle_coordinates();
  ASSERT_THAT(declarer.statics(), SizeIs(1));
  EXPECT_THAT(doubles(declarer.statics()[0].bytes), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(error_of([&] {
                declarer.add_block("sea", {0, 2}, {1, 1});
              }),
              "grid \"sea\": all blocks are declared before its coordinates and fields");
}

TEST(Declarer, BlocksAtTheOriginOfTheOtherDimensionsHandOver) {
  Declarer declarer("ocean", 0, 2);
  declarer.grid(block("sea", {"z", "y", "x"}, {2, 3, 4}, {1, 0, 0}, {1, 3, 2}));
  declarer.add_block("sea", {0, 0, 2}, {1, 3, 1});
  model::Coordinate area = coordinate("area");
  area.dims = {"y", "x"};
  declarer.coordinate("sea", area, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9});
  declarer.settle_coordinates();
  ASSERT_THAT(declarer.statics(), SizeIs(1));
  EXPECT_THAT(doubles(declarer.statics()[0].bytes), ElementsAre(7, 8, 9));
  EXPECT_EQ(declarer.cells(1), 3);
}

TEST(Declarer, AsManyValuesAsTheWholeMayHaveTwoOrders) {
  Declarer declarer("ocean", 0, 1);
  declarer.grid(block("sea", {"y", "x"}, {2, 4}, {0, 0}, {2, 2}));
  declarer.add_block("sea", {0, 2}, {2, 2});
  declarer.coordinate("sea", coordinate("x"), std::vector<double>{0, 10, 20, 30});
  model::Coordinate area = coordinate("area");
  area.dims = {"y", "x"};
  EXPECT_EQ(error_of([&] { declarer.coordinate("sea", area, std::vector<double>(8, 1.0)); }),
            "coordinate \"area\" of grid \"sea\" has 8 values, as many as the whole and as the several "
            "blocks of this "
            "rank, which have another order; declare one block where a rank holds all cells");
}

TEST(Declarer, OptionsThatAreGivenMayBeReplaced) {
  Declarer declarer("m1", 0, 1);
  declarer.give_options({{"component", "m1"}, {"member", "1"}});
  EXPECT_EQ(declarer.declarations().options.at("member"), "1");
  declarer.option("member", "7");
  EXPECT_EQ(declarer.declarations().options.at("member"), "7");
  EXPECT_EQ(error_of([&] { declarer.option("member", "8"); }), "option \"member\" was given twice: 7 and 8");
  declarer.option("component", "m1");
  declarer.give_options({{"component", "m1"}});
  EXPECT_EQ(
      error_of([&] { declarer.option("component", "sea"); }),
      "option \"component\" is the name of the component, \"m1\", in a configuration with `{component}`; it "
      "cannot be sea");
}

TEST(Declarer, RefusesCoordinatesThatDoNotFit) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(block("les", {"y", "x"}, {4, 6}, {0, 3}, {4, 3}));
  const std::vector<double> two{1, 2}, four{1, 2, 3, 4};
  EXPECT_EQ(
      error_of([&] { declarer.coordinate("les", coordinate("x"), two); }),
      "coordinate \"x\" of grid \"les\" has 2 values; 6 (the whole) or 3 (this rank's part) are expected");
  EXPECT_EQ(error_of([&] { declarer.coordinate("les", coordinate("lat", {"yy"}), four); }),
            "coordinate \"lat\": grid \"les\" has no dim \"yy\". Did you mean \"y\"? (known: x, y)");
  declarer.coordinate("les", coordinate("y"), four);
  EXPECT_EQ(error_of([&] { declarer.coordinate("les", coordinate("y"), four); }),
            "coordinate \"y\" of grid \"les\" was declared before");
}

std::string refused(const model::Coordinate& coordinate, const std::vector<double>& values,
                    const CoordinateExtras& extras) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(block("les", {"y", "x"}, {4, 6}, {0, 3}, {4, 3}));
  return error_of([&] { declarer.coordinate("les", coordinate, values, extras); });
}

// The ranks that cannot tell whether they gave the whole or a part agree with the others.
TEST(Declarer, CoordinatesAreWhatTheRanksAgreeOn) {
  const auto settled = [](const std::vector<double>& values, bool whole, std::size_t vertices) {
    const std::int64_t cells = std::ssize(values);
    Declarer declarer("bubble", 1, 4);
    declarer.grid(block("les", {"y", "x"}, {4, 3}, {0, 0}, {cells, cells}));
    declarer.coordinate("les", coordinate("x"), values);
    EXPECT_EQ(declarer.field("les", field("w")), 0) << "handles do not depend on what the ranks agree on";
    EXPECT_TRUE(declarer.given_coordinates()[0].form.whole && declarer.given_coordinates()[0].form.part);
    GivenCoordinate agreed;
    agreed.form = {.whole = whole, .part = !whole};
    agreed.vertices = vertices;
    if (whole) agreed.values = {30, 40, 50};
    declarer.settle_coordinates({agreed});
    EXPECT_THAT(declarer.given_coordinates(), IsEmpty());
    return declarer;
  };
  for (const std::vector<double>& values : {std::vector<double>{}, {30, 40, 50}}) {
    const Declarer whole = settled(values, true, 0), part = settled(values, false, 2);
    EXPECT_THAT(whole.declarations().grids[0].coordinates[0].values, ElementsAre(30, 40, 50));
    EXPECT_THAT(whole.statics(), IsEmpty());
    const model::Coordinate& x = part.declarations().grids[0].coordinates[0];
    EXPECT_THAT(x.values, IsEmpty());
    EXPECT_EQ(x.field, 1);
    EXPECT_EQ(x.bounds_field.has_value(), values.empty())
        << "a rank without values has the bounds of the others";
    EXPECT_THAT(part.statics(), SizeIs(values.empty() ? 0 : 1));
  }
}

TEST(Declarer, LongitudesOfBoundsMayTurn) {
  model::Coordinate lon = coordinate("y");
  const std::vector<double> values{0, 60, 180, 300}, around{330, 30, 30, 90, 90, 270, 270, 330},
      other{-30, 30, 30, 90, 90, 270, 270, 330}, off{200, 30, 30, 90, 90, 270, 270, 330};
  EXPECT_EQ(refused(lon, values, {.bounds = around, .vertices = 2}),
            "grid \"les\": coordinate \"y\": the value 0 is not between its bounds, 330 and 30");
  lon.units = "degrees_east";
  EXPECT_EQ(refused(lon, values, {.bounds = around, .vertices = 2}), "no error");
  EXPECT_EQ(refused(lon, values, {.bounds = other, .vertices = 2}), "no error");
  EXPECT_EQ(refused(lon, values, {.bounds = off, .vertices = 2}),
            "grid \"les\": coordinate \"y\": the value 0 is not between its bounds, 200 and 30");
  const std::vector<double> gap{-30, std::numeric_limits<double>::quiet_NaN(), 30, 90, 90, 270, 270, 330};
  EXPECT_EQ(
      refused(lon, values, {.bounds = gap, .vertices = 2}),
      "grid \"les\": coordinate \"y\": the bounds of the value 0 are -30 and nan; expected finite numbers");
}

TEST(Declarer, ComputedBoundsEndAtThePoles) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(whole("les", {"lat"}, {4}));
  model::Coordinate lat = coordinate("lat");
  lat.units = "degrees_north";
  declarer.coordinate("les", lat, std::vector<double>{-90, -30, 30, 90},
                      {.bounds = {}, .computed_bounds = true});
  declarer.settle_coordinates();
  EXPECT_THAT(declarer.declarations().grids[0].coordinates[0].bounds,
              ElementsAre(-90, -60, -60, 0, 0, 60, 60, 90));
}

TEST(Declarer, BoundsLieWithTheirValues) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(block("les", {"y", "x"}, {4, 6}, {0, 3}, {4, 3}));
  const std::vector<double> y{1, 2, 3, 4}, ends{0.5, 1.5, 1.5, 2.5, 2.5, 3.5, 3.5, 4.5};
  declarer.coordinate("les", coordinate("y"), y, {.bounds = ends, .vertices = 2});
  declarer.coordinate("les", coordinate("height", {}), std::vector<double>{2},
                      {.bounds = {}, .scalar = true});
  const std::vector<double> part(12), corners(48, 5.0);
  declarer.coordinate("les", coordinate("lat", {"y", "x"}), part, {.bounds = corners, .vertices = 4});
  declarer.settle_coordinates();
  const model::Declarations& all = declarer.declarations();
  const model::Grid& grid = all.grids[0];
  EXPECT_EQ(grid.coordinates[0].bounds, ends);
  EXPECT_THAT(grid.coordinates[1].dims, IsEmpty());
  EXPECT_THAT(grid.coordinates[2].bounds, IsEmpty());
  ASSERT_TRUE(grid.coordinates[2].bounds_field);
  const model::Field& field = all.fields[base::index(*grid.coordinates[2].bounds_field)];
  EXPECT_THAT(all.grids[base::index(field.grid)].shape, ElementsAre(4, 6, 4));
  EXPECT_EQ(declarer.regions()[base::index(field.grid)], model::Region::of_box({{0, 3, 0}, {4, 3, 4}}));
  EXPECT_THAT(doubles(declarer.statics().back().bytes), SizeIs(48));
}

TEST(Declarer, BoundsAreComputedBetweenEvenValues) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(whole("les", {"y"}, {4}));
  declarer.coordinate("les", coordinate("y"), std::vector<double>{4, 3, 2, 1},
                      {.bounds = {}, .computed_bounds = true});
  declarer.settle_coordinates();
  EXPECT_THAT(declarer.declarations().grids[0].coordinates[0].bounds,
              ElementsAre(4.5, 3.5, 3.5, 2.5, 2.5, 1.5, 1.5, 0.5));
}

TEST(Declarer, RefusesBoundsThatDoNotFit) {
  const std::vector<double> y{1, 2, 3, 4}, eight{1, 2, 2, 3, 3, 4, 4, 5}, off{1, 2, 3, 4, 3, 4, 4, 5};
  const std::string what = "grid \"les\": coordinate \"y\": ";
  EXPECT_EQ(refused(coordinate("y"), y, {.bounds = y, .vertices = 2}),
            what + "it has 4 values and 4 bounds; 2 for each value are expected");
  EXPECT_EQ(refused(coordinate("y"), y, {.bounds = y, .vertices = 1}),
            what + "1 bounds for each value; expected 2, the ends of the cell");
  EXPECT_EQ(refused(coordinate("y"), y, {.bounds = off, .vertices = 2}),
            what + "the value 2 is not between its bounds, 3 and 4");
  EXPECT_EQ(refused(coordinate("y"), y, {.bounds = eight, .vertices = 2, .computed_bounds = true}),
            what + "expected either bounds or computed_bounds, but got both");
  EXPECT_EQ(refused(coordinate("y"), {1, 2, 4, 8}, {.bounds = {}, .computed_bounds = true}),
            what +
                "computed_bounds expects values that lie evenly, but behind 1 comes 2, and "
                "2.3333333333333335 apart they would be even; give the bounds");
  EXPECT_EQ(refused(coordinate("x"), {1, 2, 3}, {.bounds = {}, .computed_bounds = true}),
            "grid \"les\": coordinate \"x\": computed_bounds needs all values, not this rank's part; give "
            "them, or the bounds");
  EXPECT_EQ(refused(coordinate("y", {"y"}), {1}, {.bounds = {}, .scalar = true}),
            what + "a scalar coordinate has no dims, but 1 are given");
  model::Coordinate area = coordinate("cells", {"y"});
  area.measure = "aera";
  EXPECT_EQ(refused(area, y, {}),
            "grid \"les\": coordinate \"cells\": the measure \"aera\" is unknown. Did you "
            "mean \"area\"? (known: area, volume)");
  area = coordinate("y");
  area.measure = "area";
  EXPECT_EQ(refused(area, y, {}),
            what + "with a measure (area) it needs the dims of the cells that it measures");
}

TEST(Declarer, RefusesMeasuresWithoutUnits) {
  model::Coordinate area = coordinate("cells", {"y"});
  area.measure = "area";
  EXPECT_EQ(refused(area, {1, 2, 3, 4}, {}),
            "grid \"les\": coordinate \"cells\": with a measure it needs units, such as m2");
  area.units = "km2";
  EXPECT_EQ(refused(area, {1, 2, 3, 4}, {}), "no error");
}

TEST(Declarer, TakesOneGridMappingThatCfKnows) {
  Declarer declarer("bubble", 0, 4);
  declarer.grid(whole("les", {"y"}, {4}));
  const auto declare = [&](const model::Attributes& attributes) {
    return error_of([&] { declarer.grid_mapping("les", {"crs", attributes}); });
  };
  EXPECT_THAT(declare({}), testing::StartsWith("grid \"les\": grid_mapping: grid_mapping_name is missing; "
                                               "expected one of albers_conical_equal_area, "));
  EXPECT_THAT(declare({{"grid_mapping_name", "rotated_latitude_longtude"}}),
              testing::HasSubstr("Did you mean \"rotated_latitude_longitude\"?"));
  EXPECT_EQ(
      declare({{"grid_mapping_name", "mercator"}, {"bounds", 1.0}}),
      "grid \"les\": grid_mapping: attribute \"bounds\" is written automatically, if `bounds` are given with "
      "the values of a coordinate");
  EXPECT_EQ(declare({{"grid_mapping_name", "mercator"}, {"earth_radius", 6371229.0}}), "no error");
  EXPECT_EQ(declare({{"grid_mapping_name", "mercator"}}), "grid \"les\": grid_mapping was declared before");
}

}  // namespace
}  // namespace tailrace::client
