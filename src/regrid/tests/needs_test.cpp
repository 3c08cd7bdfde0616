#include "regrid/needs.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace tailrace::regrid {
namespace {

Rows random_rows(std::int64_t cells, int rows, int links, unsigned seed) {
  std::mt19937_64 random(seed);
  Rows made;
  made.start.push_back(0);
  for (int row = 0; row < rows; ++row) {
    std::set<std::int64_t> sources;
    const auto first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(cells));
    for (int link = 0; link < static_cast<int>(random() % static_cast<std::uint64_t>(links + 1)); ++link)
      sources.insert((first + static_cast<std::int64_t>(random() % 9)) % cells);
    for (const std::int64_t source : sources) {
      made.source.push_back(source);
      made.weight.push_back(1.0 / static_cast<double>(sources.size()));
    }
    made.start.push_back(static_cast<std::int64_t>(made.source.size()));
  }
  return made;
}

std::vector<std::int64_t> unpacked(const model::Runs& runs) {
  std::vector<std::int64_t> cells;
  for (const model::Run& run : runs)
    for (std::int64_t cell = run.start; cell < run.start + run.count; ++cell) cells.push_back(cell);
  return cells;
}

void expect_right(const Rows& rows) {
  const Needs needs = needs_of(rows);
  const std::vector<std::int64_t> cells = unpacked(needs.cells);
  const std::set<std::int64_t> wanted(rows.source.begin(), rows.source.end());
  EXPECT_EQ(cells, std::vector<std::int64_t>(wanted.begin(), wanted.end()));
  EXPECT_EQ(needs.count, static_cast<std::int64_t>(wanted.size()));
  for (std::size_t r = 1; r < needs.cells.size(); ++r)  // merged where they touch
    EXPECT_GT(needs.cells[r].start, needs.cells[r - 1].start + needs.cells[r - 1].count);
  ASSERT_EQ(needs.rows.source.size(), rows.source.size());
  for (std::size_t link = 0; link < rows.source.size(); ++link)
    EXPECT_EQ(cells[static_cast<std::size_t>(needs.rows.source[link])], rows.source[link]);
  EXPECT_EQ(needs.rows.start, rows.start);
  EXPECT_EQ(needs.rows.weight, rows.weight);
}

TEST(Needs, HavePositionsOfDenseAndSparseCells) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    expect_right(random_rows(500, 300, 7, seed));                // as bits
    expect_right(random_rows(1'000'000'000'000, 300, 7, seed));  // sorted
  }
}

TEST(Needs, OfWholeWordsOfBitsAreOneRun) {
  Rows rows;
  rows.start.push_back(0);
  for (std::int64_t cell = 7; cell < 7 + 256; ++cell) {
    rows.source.push_back(cell);
    rows.weight.push_back(1.0);
    rows.start.push_back(cell - 6);
  }
  expect_right(rows);
  EXPECT_EQ(needs_of(rows).cells, (model::Runs{{7, 256}}));
}

TEST(Needs, OfNoLinksAreNone) {
  const Rows rows{.first = 3, .start = {0, 0, 0}, .source = {}, .weight = {}};
  expect_right(rows);
  EXPECT_EQ(needs_of(rows).count, 0);
}

// Compares with a look at each cell.
void expect_share(const model::Region& part, std::vector<std::int64_t> shape, const model::Runs& wanted) {
  std::vector<std::int64_t> rows{0}, columns;
  if (part.rank() == 2) rows = unpacked(part.runs(0));
  columns = unpacked(part.runs(part.rank() - 1));
  std::map<std::int64_t, std::int64_t> packed;
  for (const std::int64_t cell : unpacked(wanted))
    packed.emplace(cell, static_cast<std::int64_t>(packed.size()));
  std::vector<std::pair<std::int64_t, std::int64_t>> expected, got;
  std::int64_t local = 0;
  for (const std::int64_t y : rows)
    for (const std::int64_t x : columns) {
      const std::int64_t cell = part.rank() == 2 ? y * shape[1] + x : x;
      if (packed.contains(cell)) expected.emplace_back(local, packed.at(cell));
      ++local;
    }
  for (const model::Segment& segment : share_of_part(part, shape, wanted))
    for (std::int64_t i = 0; i < segment.count; ++i) got.emplace_back(segment.source + i, segment.target + i);
  EXPECT_EQ(got, expected);
  EXPECT_EQ(has_some(part, shape, wanted), !expected.empty());
}

TEST(ShareOfPart, IsWhatALookAtEachCellFinds) {
  std::mt19937_64 random(5);
  for (int repeat = 0; repeat < 200; ++repeat) {
    model::Runs wanted;
    for (std::int64_t cell = 0; cell < 13 * 17;) {
      cell += static_cast<std::int64_t>(random() % 40);
      const auto count = static_cast<std::int64_t>(1 + random() % 30);
      if (cell + count <= 13 * 17) wanted.push_back({cell, count});
      cell += count + 1;
    }
    const auto y = static_cast<std::int64_t>(random() % 9), x = static_cast<std::int64_t>(random() % 11);
    expect_share(model::Region({{{y, 4}}, {{x, 6}}}), {13, 17}, wanted);
    expect_share(model::Region({{{0, 13}}, {{0, 17}}}), {13, 17}, wanted);
    expect_share(model::Region({{{y, 1}, {0, 2}}, {{x, 6}, {1, 3}}}), {13, 17}, wanted);
    expect_share(model::Region({{{x * 3, 20}, {200, 3}, {7, 5}}}), {13 * 17}, wanted);
    expect_share(model::Region(std::vector<model::Runs>{{}}), {13 * 17}, wanted);
  }
}

TEST(ShareOf, CoversTheTargetInUnits) {
  for (const std::int64_t unit : {1, 7, 16})
    for (const std::size_t parts : {1u, 2u, 3u, 5u, 64u}) {
      std::int64_t next = 0, least = 1 << 30, most = 0;
      const std::int64_t cells = unit * 37;
      for (std::size_t part = 0; part < parts; ++part) {
        const Share share = share_of(cells, unit, part, parts);
        EXPECT_EQ(share.first, next);
        EXPECT_EQ(share.count % unit, 0);
        next += share.count;
        least = std::min(least, share.count);
        most = std::max(most, share.count);
      }
      EXPECT_EQ(next, cells);
      EXPECT_LE(most - least, unit);
    }
}

TEST(ShareOf, IsExactForManyCellsAndParts) {
  const std::int64_t cells = std::int64_t{12} << 36;
  const Share last = share_of(cells, 1, 999'999, 1'000'000);
  EXPECT_EQ(last.first + last.count, cells);
  const Share middle = share_of(cells, 1, 500'000, 1'000'000);
  EXPECT_EQ(middle.first, cells / 2);
}

TEST(ShareOf, AllowsALastUnitThatIsShort) {
  EXPECT_EQ(share_of(10, 4, 2, 3).first, 8);
  EXPECT_EQ(share_of(10, 4, 2, 3).count, 2);
}

}  // namespace
}  // namespace tailrace::regrid
