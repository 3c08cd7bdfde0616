// Applies rows of weights to arrays of source cells.
//
// The sum of a target cell is made in the order of its links, which is that of the source cells' numbers, in
// float64 and without contraction. So its bits depend on the weights and the values alone, not on ranks,
// servers, threads or the width of vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/data_type.hpp"
#include "regrid/options.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::regrid {

// Rows whose sources are positions in a packed array of the source cells that they need.
struct LocalRows {
  std::vector<std::int64_t> start;   // rows + 1
  std::vector<std::int32_t> source;  // positions in the packed array
  std::vector<double> weight;

  // These make `apply` fast, without a change to its results; `prepare` fills them from the above. A tile is
  // 128 consecutive rows. The rows of a tile by their number of links; the distinct cells of each tile,
  // ascending, from tile_start[tile] on; and which of these a link means. A tile of many cells has none, nor
  // a use for them.
  std::vector<std::uint8_t> order;
  std::vector<std::int64_t> tile_start;
  std::vector<std::int32_t> cells;
  std::vector<std::uint16_t> slot;
  void prepare();

  std::int64_t rows() const { return static_cast<std::int64_t>(start.size()) - 1; }
  std::size_t bytes() const;
};

struct Rule {
  // largest_area takes the value of the greatest summed weight, the first in the row if there are several;
  // nearest the value of the greatest weight.
  Method method = Method::conservative;
  double coverage = 0.5;
  Normalisation normalisation = Normalisation::fracarea;
};

// The values of a level of source cells lie `source_stride` values apart, and those of a target level
// `target_stride`: arrays are (level, cell) in C order. `fraction` (as `to`, or empty) gets the valid share.
// `type`: of both arrays; integers only with nearest, largest_area or a row of one link, otherwise float32 or
// float64. `missing`: the value that marks a missing source cell and that a missing target cell gets (NaN:
// any NaN). Without it every cell is valid. A target cell without links is missing, so `fill` is needed where
// rows may be empty: it is used if `missing` has none. The valid share of a target cell is the sum of the
// weights of its valid source cells; it may be less than `coverage` by 1e-6, since weights are rounded. From
// any thread; `begin`, `end`: the rows to do.
struct Arrays {
  model::DataType type = model::DataType::float64;
  std::span<const std::byte> from;
  std::span<std::byte> to;
  std::span<double> fraction;
  std::int64_t levels = 1, source_stride = 0, target_stride = 0;
  std::optional<model::FillValue> missing;
  model::FillValue fill;
};
void apply(const LocalRows& rows, const Rule& rule, const Arrays& arrays, std::int64_t begin,
           std::int64_t end);

}  // namespace tailrace::regrid
