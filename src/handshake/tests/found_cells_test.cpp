// Cells near stations, looked for by two ranks that each have a part of the coordinates.
#include "handshake/ready/found_cells.hpp"

#include <gmock/gmock.h>

namespace tailrace::handshake {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

settings::Configuration configured() {
  return settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nfields: {s: {names: [t]}}\noutput: {a.nc: {stations: {points: {A: {lat: 9, lon: "
        "-2}, B: {lat: 21, lon: 40}}}, variables: [{field: t, every: 1 step}]}}\n"}},
      nullptr);
}

// Seven cells, dealt to ranks 0 and 1; rank 2 has none.
client::Declarer declared(int rank) {
  client::Declarer declarer("ocean", rank, 3);
  std::vector<std::int64_t> cells;
  for (std::int64_t cell = rank; rank < 2 && cell < 7; cell += 2) cells.push_back(cell);
  client::GridArguments grid;
  grid.name = "list";
  grid.dims = {"cell"};
  grid.shape = {7};
  grid.indexed_dim = "cell";
  grid.indices = cells;
  declarer.grid(grid);
  std::vector<double> lat, lon;
  for (const std::int64_t cell : cells) {
    lat.push_back(static_cast<double>(5 * cell));
    lon.push_back(static_cast<double>(10 * cell));
  }
  model::Coordinate coordinate;
  coordinate.dims = {"cell"};
  coordinate.name = "lat";
  coordinate.units = "degrees_north";
  declarer.coordinate("list", coordinate, lat);
  coordinate.name = "lon";
  coordinate.units = "degrees_east";
  declarer.coordinate("list", coordinate, lon);
  declarer.settle_coordinates();
  model::Field field;
  field.name = "t";
  declarer.field("list", field);
  return declarer;
}

TEST(FoundCells, AreTheBestOfAllRanks) {
  const settings::Configuration configuration = configured();
  std::vector<NearestOfRanks> all;
  for (const int rank : {1, 2, 0}) {
    base::ByteWriter out;
    put_nearest(out, look_for_stations(declared(rank), configuration));
    base::ByteReader in(out.bytes());
    const auto next = get_nearest(in);
    ASSERT_THAT(next, SizeIs(1));
    if (all.empty())
      all = next;
    else
      all[0].add(next[0]);
  }
  model::Declarations declarations = declared(0).declarations();
  set_found_cells(declarations, configuration, all);
  ASSERT_TRUE(declarations.found_cells);
  ASSERT_THAT(*declarations.found_cells, SizeIs(1));
  const model::FoundCells& found = declarations.found_cells->front();
  EXPECT_EQ(found.file, "a.nc");
  EXPECT_THAT(found.cells, ElementsAre(0, 4));
  EXPECT_THAT(found.reach, ElementsAre(0, 30, 0, 60));
  EXPECT_EQ(model::Declarations::from_bytes(declarations.to_bytes()), declarations);
}

}  // namespace
}  // namespace tailrace::handshake
