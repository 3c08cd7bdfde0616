#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "input/entry/shared_reads.hpp"
#include "input/regridding/horizontal_regrid.hpp"
#include "input/regridding/model_cells.hpp"
#include "input/regridding/source_rows.hpp"
#include "regrid/maker/weights_request.hpp"

namespace tailrace::input {
namespace {

using regrid::GridCells;
using regrid::ListedCells;
using regrid::RowsAndColumns;
using testing::ElementsAre;

// Three target cells of a file of 4 x 5: of the cells (1, 2) and (1, 4), of (3, 2), and of none.
regrid::Rows rows() {
  return {.first = 0, .start = {0, 2, 3, 3}, .source = {7, 9, 17}, .weight = {0.25, 0.75, 1.0}};
}

TEST(InputRegridding, ReadsTheRowsAndColumnsThatAreNeeded) {
  const SourceRows made = source_rows_of(rows(), {4, 5});
  EXPECT_THAT(made.used, ElementsAre(ElementsAre(1, 3), ElementsAre(2, 4)));
  EXPECT_THAT(made.rows.source, ElementsAre(0, 1, 2));
  EXPECT_THAT(source_rows_of(rows(), {20}).used, ElementsAre(ElementsAre(7, 9, 17)));
}

TEST(InputRegridding, PutsCellsWhereTheGridHasThem) {
  const SourceRows made = source_rows_of(rows(), {4, 5});
  const std::vector<double> from{1, 2, 3, 0, 10, 20, 30, 0};  // two levels of the four cells
  const ResultDims outer{{2, 3}, {false, true}}, inner{{3, 2}, {true, false}};
  EXPECT_THAT(source_shape(made, outer), ElementsAre(2, 2, 2));
  const auto regrid = [&](const ResultDims& dims) {
    std::vector<double> to(6);
    EXPECT_EQ(regrid_record(made, {}, model::DataType::float64, std::as_bytes(std::span(from)), dims,
                            std::as_writable_bytes(std::span(to))),
              2);
    return to;
  };
  EXPECT_THAT(regrid(outer), ElementsAre(1.75, 3.0, testing::IsNan(), 17.5, 30.0, testing::IsNan()));
  EXPECT_THAT(regrid(inner), ElementsAre(1.75, 17.5, 3.0, 30.0, testing::IsNan(), testing::IsNan()));
}

RowsAndColumns axes(std::vector<double> lat, std::vector<double> lon) {
  return {.lat = std::move(lat), .lon = std::move(lon), .lat_bounds = {}, .lon_bounds = {}};
}

TEST(InputRegridding, KnowsTheSameCells) {
  const GridCells file = axes({-60, -20, 20, 60}, {0, 90, 180, 270});
  EXPECT_TRUE(are_same_cells(file, axes({-60, -20, 20, 60}, {0, 90, 180, 270})));
  EXPECT_TRUE(are_same_cells(file, axes({60, 20}, {-180, -90, 0}))) << "a part, from north to south";
  EXPECT_TRUE(are_same_cells(file, axes({20}, {90})));
  EXPECT_FALSE(are_same_cells(file, axes({-60, 20}, {0, 90}))) << "wider cells with centres of the file";
  EXPECT_FALSE(are_same_cells(file, axes({-60, -20}, {0, 180})));
  EXPECT_FALSE(are_same_cells(file, axes({-60, -21}, {0, 90})));
  EXPECT_FALSE(are_same_cells(file, regrid::Healpix{}));
  const ListedCells list{
      .geometry = {.lat = {10, 20, 90}, .lon = {5, 359, 0}, .lat_corners = {}, .lon_corners = {}},
      .shape = {3}};
  ListedCells other = list;
  other.geometry.lon = {365, -1, 77};  // at a pole all longitudes are one
  EXPECT_TRUE(are_same_cells(list, other));
  other.geometry.lat[0] = 10.1;
  EXPECT_FALSE(are_same_cells(list, other));
}

TEST(InputRegridding, NamesWeightsByAllThatTheyDependOn) {
  const regrid::WeightsRequest request{axes({-45, 45}, {90, 270}), regrid::Healpix{2},
                                       regrid::Method::nearest, ""};
  regrid::WeightsRequest other = request;
  EXPECT_EQ(digest_of(other), digest_of(request));
  EXPECT_EQ(digest_of(request).size(), 32u);
  other.method = regrid::Method::bilinear;
  EXPECT_NE(digest_of(other), digest_of(request));
  other = request;
  std::get<RowsAndColumns>(other.source).lat_first = false;
  EXPECT_NE(digest_of(other), digest_of(request));
  other = request;
  other.target = regrid::Healpix{2, regrid::HealpixOrder::ring};
  EXPECT_NE(digest_of(other), digest_of(request));
  std::swap(other.source, other.target);
  other.weights = "no/such/file.nc";
  other.method = regrid::Method::file;
  EXPECT_THROW(digest_of(other), Error);
}

std::shared_ptr<const VariableRecipe> recipe(std::vector<std::int64_t> lat, std::vector<std::int64_t> lon) {
  VariableRecipe made;
  made.variable.name = "t";
  made.variable.dims = {"time", "lat", "lon"};
  made.variable.shape = {9, 100, 200};
  Match match;
  match.time = 0;
  match.file_dim = {1, 2};
  match.cells = {std::move(lat), std::move(lon)};
  match.fixed = {Match::none, Match::none, Match::none};
  made.match = std::make_shared<Match>(std::move(match));
  return std::make_shared<const VariableRecipe>(std::move(made));
}

TEST(SharedReads, HaveABoxAroundCellsThatLieTogether) {
  ChunkMemory chunks(std::uint64_t{1} << 20);
  std::vector<RecipesByFile> fields{{recipe({10, 11, 12, 13}, {20, 21, 22, 23})},
                                    {recipe({12, 11}, {22, 24})},
                                    {recipe({90, 91}, {150, 151})}};
  const auto pages = share_reads(fields, chunks);
  EXPECT_EQ(pages[0], pages[1]);
  EXPECT_NE(pages[0], pages[2]) << "the box around both would have many more cells";
  EXPECT_EQ(fields[0][0]->box, fields[1][0]->box);
  EXPECT_THAT(fields[0][0]->box->cells,
              ElementsAre(testing::IsEmpty(), ElementsAre(10, 11, 12, 13), ElementsAre(20, 21, 22, 23, 24)));
  EXPECT_EQ(fields[2][0]->box, nullptr);
}

TEST(RecordPages, KeepRecordsUntilAllReadersHadThem) {
  ChunkMemory chunks(std::uint64_t{1} << 20);
  RecordPages pages(chunks);
  const int first = pages.add_reader(), second = pages.add_reader();
  EXPECT_FALSE(pages.take(0, 3));
  RecordPages::Held held = pages.reserve(0, {3, 2}, 8, 1.0);
  EXPECT_EQ(held.range.count, 2);
  held.pages.resize(1);
  pages.give_back(std::move(held), first, 3);
  for (const auto& [reader, record] : {std::pair{first, 4}, std::pair{second, 3}, std::pair{second, 4}}) {
    auto kept = pages.take(0, record);
    ASSERT_TRUE(kept) << record;
    pages.give_back(std::move(*kept), reader, record);
  }
  EXPECT_FALSE(pages.take(0, 4));
  EXPECT_EQ(chunks.bytes(), 0u);
}

}  // namespace
}  // namespace tailrace::input
