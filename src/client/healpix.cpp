#include "client/healpix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "client/readable.hpp"

namespace tailrace::client {
namespace {

constexpr int finest_level = 29;  // numbers of cells then fit 64 bits

std::int64_t number_of_cells(int level) { return std::int64_t{12} << (2 * level); }

template <class... Arguments>
[[noreturn]] void refuse(const HealpixArguments& healpix, fmt::format_string<Arguments...> format,
                         Arguments&&... arguments) {
  throw Error(ErrorCode::usage, fmt::format("healpix_grid \"{}\": ", base::quotable(healpix.name)) +
                                    fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace

std::vector<std::int64_t> cells_of(const HealpixArguments& healpix) {
  static const std::vector<std::string> orders{"nested", "ring"};
  if (healpix.level < 0 || healpix.level > finest_level)
    refuse(healpix, "expected a level from 0 to {}, but got {}", finest_level, healpix.level);
  if (std::ranges::count(orders, healpix.order) == 0)
    refuse(healpix, "the order \"{}\" is unknown.{}", base::quotable(healpix.order),
           base::name_hint(healpix.order, orders));
  const std::int64_t all = number_of_cells(healpix.level);
  if (healpix.count == 0 && healpix.first == 0) {
    check_readable(fmt::format("healpix_grid \"{}\": cells", healpix.name), healpix.cells);
    for (const std::int64_t cell : healpix.cells)
      if (cell < 0 || cell >= all)
        refuse(healpix, "the cell {} is outside 0 to {}, the cells of level {}", cell, all - 1,
               healpix.level);
    return {healpix.cells.begin(), healpix.cells.end()};
  }
  if (!healpix.cells.empty()) refuse(healpix, "expected either `first` and `count` or `cells`, but got both");
  if (healpix.first < 0 || healpix.count < 0 || healpix.count > all - healpix.first)
    refuse(healpix, "{} cells from {} on are outside 0 to {}, the cells of level {}", healpix.count,
           healpix.first, all - 1, healpix.level);
  std::vector<std::int64_t> cells(static_cast<std::size_t>(healpix.count));
  std::iota(cells.begin(), cells.end(), healpix.first);
  return cells;
}

GridArguments grid_of(const HealpixArguments& healpix, std::span<const std::int64_t> cells) {
  GridArguments grid;
  grid.name = healpix.name;
  grid.dims = healpix.dims;
  grid.dims.push_back(healpix.cell_dim);
  grid.shape = healpix.shape;
  grid.shape.push_back(number_of_cells(healpix.level));
  grid.indexed_dim = healpix.cell_dim;
  grid.indices = cells;
  return grid;
}

}  // namespace tailrace::client
