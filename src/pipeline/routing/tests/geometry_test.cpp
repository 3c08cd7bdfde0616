#include "pipeline/routing/geometry.hpp"

#include <gmock/gmock.h>

#include <array>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::routing {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A grid of 4 x 6 in chunks of 3 x 4, held by a block, a rank with scattered columns, and one with nothing.
struct Case {
  model::Regions regions{model::Region::of_box({{0, 0}, {4, 3}}), model::Region({{{0, 4}}, {{5, 1}, {3, 2}}}),
                         model::Region({{}, {}})};
  Geometry geometry{{{4, 6}, {3, 4}, 2}, regions};
};

TEST(Geometry, PiecesLeadEachCellToItsPlaceInItsChunk) {
  const Case with;
  // Global columns of the local ones, by client.
  const std::vector<std::vector<std::int64_t>> columns{{0, 1, 2}, {5, 3, 4}};
  for (int client = 0; client < 2; ++client) {
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>>
        found;  // chunk → cell of its box → local element
    for (const Piece& piece : with.geometry.pieces(client)) {
      std::int64_t cells = 0;
      piece.overlap.for_each([&](const model::Segment& segment) {
        for (std::int64_t i = 0; i < segment.count; ++i, ++cells)
          EXPECT_TRUE(found[piece.spatial].emplace(segment.target + i, segment.source + i).second);
      });
      EXPECT_EQ(piece.cells(), cells);
    }
    std::map<std::int64_t, std::map<std::int64_t, std::int64_t>> expected;
    const auto& mine = columns[base::index(client)];
    for (std::int64_t y = 0; y < 4; ++y) {
      for (std::int64_t i = 0; i < std::ssize(mine); ++i) {
        const std::int64_t x = mine[base::index(i)];
        const std::int64_t chunk = y / 3 * 2 + x / 4, width = x < 4 ? 4 : 2;
        expected[chunk][y % 3 * width + x % 4] = y * std::ssize(mine) + i;
      }
    }
    EXPECT_EQ(found, expected) << "client " << client;
  }
}

TEST(Geometry, PiecesAreInTheOrderOfTheChunks) {
  const Case with;
  std::vector<std::int64_t> spatials;
  for (const Piece& piece : with.geometry.pieces(1)) spatials.push_back(piece.spatial);
  EXPECT_THAT(spatials, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(with.geometry.pieces(2), IsEmpty());
}

TEST(Geometry, FindsThePieceOfAChunk) {
  const Case with;
  const Piece &alone = with.geometry.piece(1, 2), &among_all = with.geometry.pieces(1)[2];
  EXPECT_EQ(alone.spatial, 2);
  EXPECT_EQ(among_all.spatial, 2);
  std::vector<std::array<std::int64_t, 3>> expected, found;
  among_all.overlap.for_each([&](const model::Segment& s) {
    expected.push_back({s.source, s.target, s.count});
  });
  alone.overlap.for_each([&](const model::Segment& s) { found.push_back({s.source, s.target, s.count}); });
  EXPECT_EQ(found, expected);
  EXPECT_THROW(with.geometry.piece(0, 1), Error) << "client 0 has no cell there";
  for (const std::int64_t no_chunk : {-1, 4, 6}) EXPECT_THROW(with.geometry.piece(0, no_chunk), Error);
  for (const int nobody : {-1, 3}) EXPECT_THROW(with.geometry.piece(nobody, 0), Error);
}

TEST(Geometry, LeavesOutChunksThatOnlyTheBoundsTouch) {
  const model::Regions regions{model::Region({{{0, 1}, {8, 1}}})};
  const Geometry geometry({{9}, {3}, 1}, regions);
  std::vector<std::int64_t> spatials;
  for (const Piece& piece : geometry.pieces(0)) spatials.push_back(piece.spatial);
  EXPECT_THAT(spatials, ElementsAre(0, 2));
}

TEST(Geometry, HoldsRangesAndNotTheirCopiesOnEachLevel) {
  // Fifty ranges of 20 cells, spread over the grid, on 60 levels that are the slower dimension.
  model::Runs ranges;
  for (std::int64_t i = 0; i < 50; ++i) ranges.push_back({i * 1000, 20});
  const model::Region region({{{0, 60}}, ranges});
  const Geometry geometry({{60, 50000}, {60, 6250}, 1}, {region});
  EXPECT_EQ(geometry.bytes(), 0u) << "made when it is asked for";
  std::int64_t cells = 0;
  for (const Piece& piece : geometry.pieces(0)) cells += piece.cells();
  EXPECT_EQ(cells, region.size());
  EXPECT_GT(geometry.bytes(), 50 * sizeof(model::Segment));
  EXPECT_LT(geometry.bytes(), static_cast<std::size_t>(cells) * sizeof(double) / 100);
}

TEST(Geometry, OfAForeignClientHoldsOnlyTheChunksAskedFor) {
  model::Runs ranges;
  for (std::int64_t i = 0; i < 1000; ++i) ranges.push_back({i * 50, 20});
  const model::Region region({ranges});
  const Geometry own({{50000}, {500}, 1}, {region}), owner({{50000}, {500}, 1}, {region});
  EXPECT_EQ(own.pieces(0).size(), 100u);
  EXPECT_EQ(owner.piece(0, 37).cells(), 200);
  EXPECT_LT(owner.bytes(), own.bytes() / 50);
}

TEST(Geometry, MayBeAskedByManyThreads) {
  const Case with;
  std::vector<const void*> seen(8);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < seen.size(); ++t)
      threads.emplace_back([&, t] { seen[t] = with.geometry.pieces(static_cast<int>(t % 2)).data(); });
  }
  for (std::size_t t = 2; t < seen.size(); ++t) EXPECT_EQ(seen[t], seen[t % 2]) << "computed once";
}

}  // namespace
}  // namespace tailrace::pipeline::routing
