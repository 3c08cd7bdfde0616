#include "handshake/ready/part_coordinates.hpp"

#include <gmock/gmock.h>

#include "base/index.hpp"

namespace tailrace::handshake {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A plane of 3 times 5 cells in two columns of blocks, x in parts and y whole; a list of cells, x in parts
// too.
client::Declarer declared(int rank) {
  client::Declarer declarer("model", rank, 2);
  client::GridArguments plane;
  plane.name = "plane";
  plane.dims = {"y", "x"};
  plane.shape = {3, 5};
  plane.offset = {0, rank == 0 ? 0 : 2};
  plane.count = {3, rank == 0 ? 2 : 3};
  declarer.grid(plane);
  const auto give = [&](const std::string& grid, const std::string& name, const std::string& dim,
                        const std::vector<double>& values) {
    model::Coordinate coordinate;
    coordinate.name = name;
    coordinate.dims = {dim};
    declarer.coordinate(grid, coordinate, values);
  };
  give("plane", "y", "y", {1, 2, 3});
  model::Coordinate x;
  x.name = "x";
  x.dims = {"x"};
  if (rank == 0)
    declarer.coordinate("plane", x, std::vector<double>{10, 20},
                        {.bounds = std::vector<double>{5, 15, 15, 25}, .vertices = 2});
  else
    declarer.coordinate("plane", x, std::vector<double>{30, 40, 50},
                        {.bounds = std::vector<double>{25, 35, 35, 45, 45, 55}, .vertices = 2});
  const std::vector<std::int64_t> cells{rank};
  client::GridArguments list;
  list.name = "list";
  list.dims = {"cell"};
  list.shape = {2};
  list.indexed_dim = "cell";
  list.indices = cells;
  declarer.grid(list);
  give("list", "lon", "cell", {7});
  declarer.settle_coordinates();
  return declarer;
}

TEST(PartCoordinates, become_whole) {
  const std::vector<client::Declarer> ranks{declared(0), declared(1)};
  std::vector<CoordinateParts> parts;
  model::Decomposition decomposition;
  decomposition.regions.resize(ranks[0].regions().size());
  for (const client::Declarer& rank : ranks) {
    parts.push_back(coordinate_parts(rank));
    for (std::size_t g = 0; g < rank.regions().size(); ++g)
      decomposition.regions[g].push_back(rank.regions()[g]);
  }
  model::Declarations declarations = ranks[0].declarations();
  EXPECT_THAT(declarations.grids[0].coordinates[1].values, IsEmpty());
  join_parts(declarations, decomposition, parts);
  EXPECT_THAT(declarations.grids[0].coordinates[1].values, ElementsAre(10, 20, 30, 40, 50));
  EXPECT_THAT(declarations.grids[0].coordinates[1].bounds,
              ElementsAre(5, 15, 15, 25, 25, 35, 35, 45, 45, 55));
  EXPECT_TRUE(declarations.grids[0].coordinates[1].field.has_value())
      << "its blocks are still what is written";
  EXPECT_THAT(declarations.grids[0].coordinates[0].values, ElementsAre(1, 2, 3));
  const model::Grid& list = declarations.grids.at(base::index(*declarations.find_grid("list")));
  EXPECT_THAT(list.coordinates[0].values, IsEmpty())
      << "of listed cells nothing is known, on one rank either";
  declarations.grids[0].coordinates[1].digest = 7;
  model::Declarations follower = ranks[1].declarations();
  set_joined(follower, joined_parts(declarations));
  EXPECT_THAT(follower.grids[0].coordinates[1].values, ElementsAre(10, 20, 30, 40, 50));
  EXPECT_EQ(follower.grids[0].coordinates[1].bounds, declarations.grids[0].coordinates[1].bounds);
  EXPECT_EQ(follower.grids[0].coordinates[1].digest, 7u);
}

std::uint64_t digest(const std::vector<client::Declarer>& ranks, std::size_t coordinate) {
  std::uint64_t sum = 0;
  for (const client::Declarer& rank : ranks) sum += coordinate_digests(rank).at(coordinate);
  return sum;
}

// A plane of 3 times 5 cells, in rows over the ranks, with corners of its cells.
std::vector<client::Declarer> in_rows(int ranks, double first) {
  std::vector<client::Declarer> declarers;
  for (int rank = 0; rank < ranks; ++rank) {
    client::Declarer& declarer = declarers.emplace_back("model", rank, ranks);
    const auto declare = [&](const std::string& name, std::int64_t begin, std::int64_t end) {
      client::GridArguments plane;
      plane.name = name;
      plane.dims = {"y", "x"};
      plane.shape = {3, 5};
      plane.offset = {begin, 0};
      plane.count = {end - begin, 5};
      declarer.grid(plane);
      model::Coordinate lat;
      lat.name = "lat";
      lat.dims = {"y", "x"};
      std::vector<double> values, corners;
      for (std::int64_t cell = 5 * begin; cell < 5 * end; ++cell) {
        values.push_back(first + static_cast<double>(cell));
        for (int corner = 0; corner < 4; ++corner) corners.push_back(static_cast<double>(10 * cell + corner));
      }
      declarer.coordinate(name, lat, values, {.bounds = corners, .vertices = 4});
    };
    declare("plane", 3 * rank / ranks, 3 * (rank + 1) / ranks);
    declare("whole", 0, 3);
    declarer.settle_coordinates();
  }
  return declarers;
}

TEST(PartCoordinates, have_a_digest_of_the_whole_whatever_the_parts) {
  const std::uint64_t sum = digest(in_rows(2, 7.0), 0);
  EXPECT_NE(sum, 0u);
  EXPECT_EQ(digest(in_rows(3, 7.0), 0), sum);
  EXPECT_NE(digest(in_rows(3, 8.0), 0), sum);
  model::Declarations declarations = in_rows(2, 7.0)[0].declarations();
  set_digests(declarations, {sum});
  EXPECT_EQ(declarations.grids[0].coordinates[0].digest, sum);
  const auto whole = base::index(declarations.find_grid("whole").value());
  EXPECT_EQ(declarations.grids[whole].coordinates[0].digest, sum);
}

}  // namespace
}  // namespace tailrace::handshake
