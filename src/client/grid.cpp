#include "client/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "client/readable.hpp"
#include "model/name.hpp"

namespace tailrace::client {
namespace {

using model::GridKind;
using model::Region;
using model::Runs;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

// The limit ensures that every number of cells, and of their bytes, fits its type.
void check_size(const GridArguments& grid) {
  std::int64_t bytes = sizeof(double);
  for (const std::int64_t extent : grid.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      refuse(fmt::format("grid \"{}\" has the extents {}: more than 2^60 cells", grid.name,
                         fmt::join(grid.shape, " x ")));
}

}  // namespace

GridKind kind_of(const GridArguments& grid) {
  if (grid.partial) return GridKind::partial;
  if (!grid.indexed_dim.empty()) return GridKind::indexed;
  return grid.offset.empty() && grid.count.empty() ? GridKind::replicated : GridKind::block;
}

void check_shape(const GridArguments& grid) {
  if (grid.dims.size() > most_dims)
    refuse(fmt::format("grid \"{}\" has {} dims; at most {} are possible", grid.name, grid.dims.size(),
                       most_dims));
  if (grid.dims.size() != grid.shape.size())
    refuse(fmt::format("grid \"{}\" has {} dims ({}) but a shape of {} extents ({})", grid.name,
                       grid.dims.size(), fmt::join(grid.dims, ", "), grid.shape.size(),
                       fmt::join(grid.shape, ", ")));
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (grid.shape[d] < 1)
      refuse(fmt::format("grid \"{}\": dim {} has the extent {}; at least 1 is expected", grid.name,
                         grid.dims[d], grid.shape[d]));
    if (std::count(grid.dims.begin(), grid.dims.end(), grid.dims[d]) > 1)
      refuse(fmt::format("grid \"{}\" names the dim {} twice", grid.name, grid.dims[d]));
    if (const auto complaint = model::name_complaint(grid.dims[d]))
      refuse(fmt::format("grid \"{}\": dim \"{}\": the name {}", grid.name, base::quotable(grid.dims[d]),
                         *complaint));
  }
  check_size(grid);
}

Region block_region(const GridArguments& grid) {
  const std::size_t rank = grid.dims.size();
  if (grid.offset.size() != rank || grid.count.size() != rank)
    refuse(fmt::format("grid \"{}\" has {} dims, but {} offsets and {} counts", grid.name, rank,
                       grid.offset.size(), grid.count.size()));
  for (std::size_t d = 0; d < rank; ++d) {
    if (grid.offset[d] < 0 || grid.count[d] < 0 || grid.count[d] > grid.shape[d] - grid.offset[d])
      refuse(fmt::format(
          "grid \"{}\": along {} this rank's block starts at {} (counted from {}) and has {} cells, but "
          "the dim has {}",
          grid.name, grid.dims[d], grid.offset[d] + grid.first_index, grid.first_index, grid.count[d],
          grid.shape[d]));
  }
  return Region::of_box({grid.offset, grid.count});
}

Region indexed_region(const GridArguments& grid) {
  const auto dim = std::find(grid.dims.begin(), grid.dims.end(), grid.indexed_dim);
  if (dim == grid.dims.end())
    refuse(fmt::format("grid \"{}\" has no dim \"{}\" to be indexed.{}", grid.name, grid.indexed_dim,
                       base::name_hint(grid.indexed_dim, grid.dims)));
  check_readable(fmt::format("grid \"{}\": indices", grid.name), grid.indices);
  const auto along = base::index(dim - grid.dims.begin());
  for (const std::int64_t index : grid.indices) {
    if (index < 0 || index >= grid.shape[along])
      refuse(fmt::format("grid \"{}\": the index {} (counted from {}) is outside dim {}, which has {} cells",
                         grid.name, index + grid.first_index, grid.first_index, *dim, grid.shape[along]));
  }
  std::vector<Runs> runs;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    runs.push_back(d == along ? model::compress(grid.indices) : Runs{{0, grid.shape[d]}});
  return Region(std::move(runs));
}

namespace {

struct Counts {
  std::int64_t whole, local, given;
};

// On a rank with several blocks the number of values must not leave open what they are: the values of two
// blocks in the same columns may be as many as the columns.
void check_of_blocks(const model::Grid& grid, const model::Coordinate& coordinate, const Counts& counts) {
  if (coordinate.dims.size() == 1 && counts.given != counts.whole)
    refuse(
        fmt::format("coordinate \"{}\" of grid \"{}\" has {} values; {} (the whole) are expected along one "
                    "dimension, since this rank has several blocks",
                    coordinate.name, grid.name, counts.given, counts.whole));
  if (coordinate.dims.size() > 1 && counts.given == counts.whole && counts.whole == counts.local)
    refuse(fmt::format(
        "coordinate \"{}\" of grid \"{}\" has {} values, as many as the whole and as the several "
        "blocks of this rank, which have another order; declare one block where a rank holds all cells",
        coordinate.name, grid.name, counts.given));
}

}  // namespace

CoordinateForm form_of(const model::Grid& grid, const std::vector<std::vector<std::int64_t>>& local_shapes,
                       const model::Coordinate& coordinate, std::int64_t given) {
  std::int64_t whole = 1;
  std::vector<std::int64_t> by_block(local_shapes.size(), 1);
  bool indexed = false;
  for (const std::string& dim : coordinate.dims) {
    const auto at = std::find(grid.dims.begin(), grid.dims.end(), dim);
    if (at == grid.dims.end())
      refuse(fmt::format("coordinate \"{}\": grid \"{}\" has no dim \"{}\".{}", coordinate.name, grid.name,
                         dim, base::name_hint(dim, grid.dims)));
    const auto d = base::index(at - grid.dims.begin());
    whole *= grid.shape[d];
    for (std::size_t block = 0; block < by_block.size(); ++block) by_block[block] *= local_shapes[block][d];
    indexed = indexed || dim == grid.indexed_dim;
  }
  const std::int64_t local = std::accumulate(by_block.begin(), by_block.end(), std::int64_t{0});
  if (by_block.size() > 1) check_of_blocks(grid, coordinate, {whole, local, given});
  const bool is_split = (grid.kind == model::GridKind::block || grid.kind == model::GridKind::indexed) &&
                        !coordinate.dims.empty();
  const bool none = given == 0 && local == 0;
  const CoordinateForm form{.whole = (given == whole || none) && !indexed,
                            .part = given == local && is_split};
  if (form.whole || form.part) return form;
  if (indexed)
    refuse(fmt::format(
        "coordinate \"{}\" of grid \"{}\" has {} values; {} are expected, this rank's part, as along "
        "an indexed dimension each rank gives its own",
        coordinate.name, grid.name, given, local));
  refuse(fmt::format(
      "coordinate \"{}\" of grid \"{}\" has {} values; {} (the whole) or {} (this rank's part) are "
      "expected",
      coordinate.name, grid.name, given, whole, local));
}

}  // namespace tailrace::client
