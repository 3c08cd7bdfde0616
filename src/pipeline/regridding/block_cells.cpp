#include "pipeline/regridding/block_cells.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::regridding {
namespace {

// Calls `visit` with each combination of indices along some dims, in C order: the number that they have in
// the whole grid, and their first element in the local array.
struct OtherDims {
  struct Dim {
    const model::Runs& runs;
    std::int64_t extent, stride;
  };
  std::vector<Dim> dims;

  template <class Visit>
  void for_each(const Visit& visit, std::size_t d = 0, std::int64_t number = 0,
                std::int64_t offset = 0) const {
    if (d == dims.size()) return visit(number, offset);
    std::int64_t local = 0;
    for (const model::Run& run : dims[d].runs)
      for (std::int64_t i = 0; i < run.count; ++i, ++local)
        for_each(visit, d + 1, number * dims[d].extent + run.start + i, offset + local * dims[d].stride);
  }
};

}  // namespace

GridDims dims_of(const model::Grid& grid, const std::vector<std::string>& horizontal) {
  GridDims dims;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    if (std::ranges::count(horizontal, grid.dims[d]) > 0) {
      dims.horizontal.push_back(d);
      dims.shape.push_back(grid.shape[d]);
    } else {
      dims.others.push_back(d);
      dims.levels *= grid.shape[d];
    }
  }
  TAILRACE_ASSERT(dims.horizontal.size() == horizontal.size() && !horizontal.empty() && horizontal.size() < 3,
                  "a regridded grid has the horizontal dims of its weights");
  return dims;
}

BlockCells::BlockCells(const model::Region& region, const model::Grid& grid, const GridDims& dims) {
  std::vector<std::int64_t> strides(region.rank(), 1);
  for (std::size_t d = region.rank(); d-- > 1;) strides[d - 1] = strides[d] * region.count(d);
  const std::size_t last = dims.horizontal.back(), first = dims.horizontal.front();
  cell_stride_ = strides[last];
  row_ = std::max<std::int64_t>(1, region.count(last));
  row_stride_ = dims.horizontal.size() == 2 ? strides[first] : row_ * cell_stride_;
  is_dense_ = cell_stride_ == 1 && row_stride_ == row_;
  OtherDims others;
  for (const std::size_t d : dims.others) others.dims.push_back({region.runs(d), grid.shape[d], strides[d]});
  others.for_each([this](std::int64_t number, std::int64_t offset) {
    levels_.push_back(number);
    level_offsets_.push_back(offset);
  });
}

void BlockCells::pack(std::span<const model::Segment> cells, const Conversion& conversion,
                      std::span<const std::byte> values, std::byte* to) const {
  if (conversion.copies() && is_dense_) {
    const std::size_t element = model::size_of(conversion.from);
    for (const std::int64_t level : level_offsets_)
      for (const model::Segment& cell : cells) {
        const std::size_t bytes = static_cast<std::size_t>(cell.count) * element;
        std::memcpy(to, values.data() + static_cast<std::size_t>(level + cell.source) * element, bytes);
        to += bytes;
      }
    return;
  }
  model::dispatch(conversion.from, [&]<class From>(From) {
    model::dispatch(conversion.to,
                    [&]<class To>(To) { convert<From, To>(cells, conversion, values.data(), to); });
  });
}

template <class From, class To>
void BlockCells::convert(std::span<const model::Segment> cells, const Conversion& conversion,
                         const std::byte* values, std::byte* to) const {
  const bool may_lack = conversion.missing.has_value();
  const From missing = may_lack ? conversion.missing->as<From>() : From{};
  const bool is_nan = missing != missing;
  const To fill = conversion.fill.as<To>();
  for (const std::int64_t level : level_offsets_)
    for (const model::Segment& segment : cells)
      for (std::int64_t c = segment.source; c < segment.source + segment.count; ++c) {
        From value;
        std::memcpy(&value, values + static_cast<std::size_t>(level + offset(c)) * sizeof(From),
                    sizeof(From));
        const bool lacks = may_lack && (value == missing || (is_nan && value != value));
        const To made = lacks ? fill : static_cast<To>(value);
        std::memcpy(to, &made, sizeof(To));
        to += sizeof(To);
      }
}

void BlockCells::place(std::span<const model::Segment> cells, std::size_t element,
                       std::span<const std::byte> packed, std::int64_t count, std::byte* to) const {
  const std::byte* from = packed.data();
  for (const std::int64_t level : levels_)
    for (const model::Segment& cell : cells) {
      const std::size_t bytes = static_cast<std::size_t>(cell.count) * element;
      std::memcpy(to + static_cast<std::size_t>(level * count + cell.target) * element, from, bytes);
      from += bytes;
    }
}

void from_levels(std::span<const std::byte> levels, std::int64_t cells, std::int64_t inner,
                 std::size_t element, std::byte* to) {
  const auto level_bytes = static_cast<std::size_t>(cells) * element;
  const std::size_t count = level_bytes == 0 ? 0 : levels.size() / level_bytes;
  for (std::size_t level = 0; level < count; ++level) {
    const std::byte* from = levels.data() + level * level_bytes;
    const std::size_t outer = level / static_cast<std::size_t>(inner);
    const std::size_t within = level % static_cast<std::size_t>(inner);
    std::byte* into = to + (outer * static_cast<std::size_t>(cells * inner) + within) * element;
    for (std::int64_t cell = 0; cell < cells;
         ++cell, from += element, into += static_cast<std::size_t>(inner) * element)
      std::memcpy(into, from, element);
  }
}

}  // namespace tailrace::pipeline::regridding
