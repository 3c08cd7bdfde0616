// The horizontal cells of a grid in the local arrays of its parts, and their copies into packed arrays.
//
// Packed arrays are (level, cell) in C order, whatever the order of the grid's dims: a level is one index for
// all dims that are not horizontal, in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/data_type.hpp"
#include "model/declarations.hpp"

namespace tailrace::pipeline::regridding {

struct GridDims {
  std::vector<std::size_t> horizontal, others;  // indices into Grid::dims, ascending
  std::vector<std::int64_t> shape;              // of the horizontal ones
  std::int64_t levels = 1;                      // of the whole grid
};
GridDims dims_of(const model::Grid& grid, const std::vector<std::string>& horizontal);

// How values of a field become those that are regridded.
struct Conversion {
  model::DataType from = model::DataType::float64, to = model::DataType::float64;
  std::optional<model::FillValue> missing;  // in the values of the field
  model::FillValue fill;                    // in their place
  bool copies() const { return from == to && (!missing || *missing == fill); }
};

// The local array of one part.
class BlockCells {
 public:
  BlockCells(const model::Region& region, const model::Grid& grid, const GridDims& dims);

  std::int64_t levels() const { return static_cast<std::int64_t>(levels_.size()); }
  // Packs some horizontal cells of each level of the block, one level after the other. `cells`: sources are
  // positions in the horizontal array of the block.
  void pack(std::span<const model::Segment> cells, const Conversion& conversion,
            std::span<const std::byte> values, std::byte* to) const;
  // The inverse on the other side: copies them into a packed array with `count` cells in a level.
  void place(std::span<const model::Segment> cells, std::size_t element, std::span<const std::byte> packed,
             std::int64_t count, std::byte* to) const;

 private:
  // The first element of a cell in its level.
  std::int64_t offset(std::int64_t cell) const {
    return cell / row_ * row_stride_ + cell % row_ * cell_stride_;
  }
  template <class From, class To>
  void convert(std::span<const model::Segment> cells, const Conversion& conversion, const std::byte* values,
               std::byte* to) const;

  std::vector<std::int64_t> levels_;         // numbers in the whole grid
  std::vector<std::int64_t> level_offsets_;  // first element of each, in the local array
  std::int64_t row_ = 1, row_stride_ = 1, cell_stride_ = 1;
  bool is_dense_ = true;  // the cells of a level lie one behind the other
};

// Copies a dense (level, cell) array into the local array of a target's part, whose cells may lie between the
// other dims: `inner` is the product of the dims behind them.
void from_levels(std::span<const std::byte> levels, std::int64_t cells, std::int64_t inner,
                 std::size_t element, std::byte* to);

}  // namespace tailrace::pipeline::regridding
