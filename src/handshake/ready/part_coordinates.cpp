#include "handshake/ready/part_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "model/axis.hpp"
#include "model/parts.hpp"

namespace tailrace::handshake {
namespace {

bool is_in_parts(const model::Grid& grid, const model::Coordinate& coordinate) {
  const bool is_joined = grid.kind == model::GridKind::block || model::is_axis(coordinate);
  return is_joined && coordinate.field && coordinate.dims.size() == 1;
}

// Bounds of so many vertices are joined too. Cells with more vertices lie in a list, which may be very long.
constexpr std::int64_t bounds_of_interval = 2;

bool has_bounds_in_parts(const model::Declarations& declarations, const model::Coordinate& coordinate) {
  if (!coordinate.bounds_field) return false;
  const auto grid = base::index(declarations.fields[base::index(*coordinate.bounds_field)].grid);
  return declarations.grids[grid].shape.back() == bounds_of_interval;
}

// Calls visit(field, array) for the values of each coordinate that is joined, and then for its bounds.
template <class Declarations, class Visit>
void for_each_joined(Declarations& declarations, const Visit& visit) {
  for (auto& grid : declarations.grids)
    for (auto& coordinate : grid.coordinates) {
      if (!is_in_parts(grid, coordinate)) continue;
      visit(*coordinate.field, coordinate.values);
      if (has_bounds_in_parts(declarations, coordinate)) visit(*coordinate.bounds_field, coordinate.bounds);
    }
}

// Copies a rank's values to the positions of its cells, block by block; `width` of each cell.
void place(const model::Regions& regions, const std::vector<int>& parts, const std::vector<double>& given,
           std::int64_t width, std::vector<double>& whole) {
  auto next = given.begin();
  for (const int part : parts)
    for (const model::Run& run : regions[base::index(part)].runs(0)) {
      TAILRACE_ASSERT(given.end() - next >= run.count * width,
                      "a part of a coordinate has a value for each of its cells");
      std::copy_n(next, run.count * width, whole.begin() + run.start * width);
      next += run.count * width;
    }
}

constexpr double not_given = std::numeric_limits<double>::quiet_NaN();

// Only the rank that holds the first cells along the other dimensions hands over its part (client/declarer).
void check_given(const model::Grid& grid, const model::Coordinate& coordinate) {
  const auto gap = std::ranges::find_if(coordinate.values, [](double value) { return std::isnan(value); });
  if (gap == coordinate.values.end()) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("coordinate \"{}\" of grid \"{}\" is given in parts, and the part at {}={} (counted "
                  "from 0) is of cells that no rank holds; expected all of its values on each rank, "
                  "since a coordinate along one dimension has no missing values",
                  coordinate.name, grid.name, coordinate.dims.front(), gap - coordinate.values.begin()));
}

// The part that this rank gave; empty if it gave none.
std::vector<double> part_of(const client::Declarer& declarer, int field) {
  std::vector<double> values;
  for (const client::StaticValues& given : declarer.statics()) {
    if (given.field != field) continue;
    values.resize(given.bytes.size() / sizeof(double));
    std::memcpy(values.data(), given.bytes.data(), values.size() * sizeof(double));
  }
  return values;
}

std::uint64_t digest_of(const client::Declarer& declarer, int field) {
  const model::Declarations& all = declarer.declarations();
  const auto grid = base::index(all.fields[base::index(field)].grid);
  const std::vector<double> values = part_of(declarer, field);
  if (values.empty()) return 0;
  std::uint64_t digest = 0;
  std::span<const double> rest = values;
  for (const model::Region& block : declarer.blocks(grid)) {
    const auto own = rest.first(static_cast<std::size_t>(block.size()));
    digest += client::digest_of_cells(block, all.grids[grid].shape, own);
    rest = rest.subspan(own.size());
  }
  return digest;
}

std::uint64_t digest_of_cells(std::span<const std::int64_t> shape, std::span<const double> values) {
  std::vector<model::Runs> runs;
  for (const std::int64_t extent : shape) runs.push_back({{0, extent}});
  return client::digest_of_cells(model::Region(std::move(runs)), shape, values);
}

std::uint64_t digest_of_whole(const model::Grid& grid, const model::Coordinate& coordinate) {
  std::vector<std::int64_t> shape;
  for (const std::string& dim : coordinate.dims)
    shape.push_back(grid.shape[base::index(std::ranges::find(grid.dims, dim) - grid.dims.begin())]);
  const std::uint64_t of_values = digest_of_cells(shape, coordinate.values);
  if (coordinate.bounds.empty()) return of_values;
  shape.push_back(std::ssize(coordinate.bounds) / std::ssize(coordinate.values));
  return client::with_bounds(of_values, digest_of_cells(shape, coordinate.bounds));
}

}  // namespace

std::vector<std::uint64_t> coordinate_digests(const client::Declarer& declarer) {
  std::vector<std::uint64_t> digests;
  for (const model::Grid& grid : declarer.declarations().grids)
    for (const model::Coordinate& coordinate : grid.coordinates) {
      if (!coordinate.field) continue;
      std::uint64_t digest = digest_of(declarer, *coordinate.field);
      if (coordinate.bounds_field)
        digest = client::with_bounds(digest, digest_of(declarer, *coordinate.bounds_field));
      digests.push_back(digest);
    }
  return digests;
}

std::vector<model::OddValues> odd_values_in_parts(const client::Declarer& declarer) {
  std::vector<model::OddValues> odd;
  for (const model::Grid& grid : declarer.declarations().grids)
    for (const model::Coordinate& coordinate : grid.coordinates)
      if (coordinate.field)
        odd.push_back(model::odd_values(coordinate, part_of(declarer, *coordinate.field)));
  return odd;
}

void set_odd_values(model::Declarations& declarations, const std::vector<model::OddValues>& sums) {
  std::size_t number = 0;
  for (model::Grid& grid : declarations.grids)
    for (model::Coordinate& coordinate : grid.coordinates)
      coordinate.odd =
          coordinate.field ? sums.at(number++) : model::odd_values(coordinate, coordinate.values);
}

void set_digests(model::Declarations& declarations, const std::vector<std::uint64_t>& sums) {
  std::size_t number = 0;
  std::set<std::string> in_parts;
  for (model::Grid& grid : declarations.grids)
    for (model::Coordinate& coordinate : grid.coordinates) {
      if (!coordinate.field) continue;
      coordinate.digest = sums.at(number++);
      in_parts.insert(coordinate.name);
    }
  for (model::Grid& grid : declarations.grids)
    for (model::Coordinate& coordinate : grid.coordinates)
      if (!coordinate.field && in_parts.contains(coordinate.name))
        coordinate.digest = digest_of_whole(grid, coordinate);
}

CoordinateParts coordinate_parts(const client::Declarer& declarer) {
  CoordinateParts parts;
  for_each_joined(declarer.declarations(),
                  [&](int field, const std::vector<double>&) { parts.push_back(part_of(declarer, field)); });
  return parts;
}

void join_parts(model::Declarations& declarations, const model::Decomposition& decomposition,
                const std::vector<CoordinateParts>& parts) {
  const std::vector<std::vector<int>> parts_of_ranks = model::parts_by_rank(decomposition);
  std::size_t number = 0;
  for_each_joined(declarations, [&](int field, std::vector<double>& whole) {
    // The grid of this dim alone, or of it and the vertices.
    const auto at = base::index(declarations.fields[base::index(field)].grid);
    const model::Grid& along = declarations.grids[at];
    const std::int64_t width = along.shape.size() > 1 ? along.shape.back() : 1;
    whole.assign(static_cast<std::size_t>(along.size()), not_given);
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      if (const auto& part = parts[rank].at(number); !part.empty())
        place(decomposition.regions[at], parts_of_ranks[rank], part, width, whole);
    ++number;
  });
  for (const model::Grid& grid : declarations.grids)
    for (const model::Coordinate& coordinate : grid.coordinates)
      if (grid.holes_are_missing && is_in_parts(grid, coordinate)) check_given(grid, coordinate);
}

JoinedParts joined_parts(const model::Declarations& declarations) {
  JoinedParts joined;
  for (const model::Grid& grid : declarations.grids)
    for (const model::Coordinate& coordinate : grid.coordinates)
      if (coordinate.field) joined.digests.push_back(coordinate.digest);
  for_each_joined(declarations,
                  [&](int, const std::vector<double>& values) { joined.values.push_back(values); });
  return joined;
}

void set_joined(model::Declarations& declarations, const JoinedParts& joined) {
  set_digests(declarations, joined.digests);
  std::size_t number = 0;
  for_each_joined(declarations,
                  [&](int, std::vector<double>& values) { values = joined.values.at(number++); });
}

}  // namespace tailrace::handshake
