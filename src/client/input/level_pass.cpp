#include "client/input/level_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/index.hpp"
#include "client/input/grid_cells.hpp"
#include "client/target.hpp"
#include "input/levels_dim.hpp"

namespace tailrace::client {
namespace {

constexpr std::int64_t most_columns = 64;  // side by side: their levels stay in a cache

const model::Grid& grid_of(int field, const Declarer& declarer) {
  const model::Declarations& declarations = declarer.declarations();
  return declarations.grids[base::index(declarations.fields[base::index(field)].grid)];
}

std::vector<double> values_of_static(int field, const Declarer& declarer) {
  const auto found = std::ranges::find(declarer.statics(), field, &StaticValues::field);
  if (found == declarer.statics().end()) return {};
  std::vector<double> values(found->bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), found->bytes.data(), found->bytes.size());
  return values;
}

}  // namespace

LevelPass::LevelPass(const input::PreparedField& field, const Declarer& declarer)
    : field_(field), file_levels_(field.vertical->count) {
  const auto dim = base::index(input::levels_dim(grid_of(field.field, declarer), field.request.vertical->to));
  std::int64_t cells = 0;
  for (const model::Region& region : regions_to_get(field.field, declarer)) {
    Block block;
    for (std::size_t d = 0; d < region.rank(); ++d)
      (d < dim ? block.outer : d == dim ? block.levels : block.inner) *= region.count(d);
    block.first_cell = cells;
    block.first_in_record = record_cells_;
    cells += region.size();
    if (region.size() == 0) continue;
    record_cells_ += block.outer * file_levels_ * block.inner;
    blocks_.push_back(std::move(block));
  }
  find_target(declarer);
}

void LevelPass::find_target(const Declarer& declarer) {
  const std::string& to = field_.request.vertical->to;
  const model::Grid& grid = grid_of(field_.field, declarer);
  const std::vector<model::Region> regions = regions_to_get(field_.field, declarer);
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorCode::configuration,
                fmt::format("{}: `vertical.to` of \"{}\" is \"{}\", {}", field_.request.location.text(),
                            field_.request.name, to, why));
  };
  const auto coordinate = std::ranges::find(grid.coordinates, to, &model::Coordinate::name);
  if (coordinate == grid.coordinates.end()) {
    const auto field = declarer.declarations().find_field(to);
    if (!field) refuse("which is neither a coordinate of its grid nor a field");
    if (&grid_of(*field, declarer) != &grid)
      refuse(fmt::format("a field of the grid \"{}\"; expected one of its own grid, \"{}\"",
                         grid_of(*field, declarer).name, grid.name));
    levels_field_ = *field;
    return;
  }
  const auto dim = base::index(input::levels_dim(grid, to));
  if (coordinate->dims == std::vector<std::string>{grid.dims[dim]} && !coordinate->values.empty()) {
    std::size_t at = 0;
    for (const model::Region& region : regions) {
      if (region.size() == 0) continue;
      Block& block = blocks_[at++];
      for (const model::Run& run : region.runs(dim))
        for (std::int64_t k = run.start; k < run.start + run.count; ++k)
          block.to.push_back(coordinate->values[base::index(k)]);
      if (field_.vertical->come_with_records) continue;
      block.shared.resize(block.to.size());
      input::find_level_weights(field_.vertical->levels, block.to, field_.request.vertical->options,
                                block.shared);
    }
    return;
  }
  if (coordinate->dims != grid.dims)
    refuse("a coordinate that has neither the levels of all ranks nor all dims of the grid");
  std::int64_t cells = 0;
  for (const model::Region& region : regions) cells += region.size();
  if (coordinate->values.empty()) {
    if (coordinate->field) fixed_ = values_of_static(*coordinate->field, declarer);
    if (std::ssize(fixed_) != cells) refuse("a coordinate without values on this rank");
    return;
  }
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    std::int64_t place = 0;
    const auto indices = global_indices(regions, cell);
    for (std::size_t d = 0; d < indices.size(); ++d) place = place * grid.shape[d] + indices[d];
    fixed_.push_back(coordinate->values[base::index(place)]);
  }
}

void LevelPass::run(WeightedRecords records, const PresentField& present, const Sink& sink) {
  for (const Block& block : blocks_)
    for (std::int64_t o = 0; o < block.outer; ++o)
      for (std::int64_t i = 0; i < block.inner; i += most_columns)
        do_tile({block, o, i, std::min(most_columns, block.inner - i)}, records, present, sink);
}

void LevelPass::do_tile(const Tile& tile, WeightedRecords records, const PresentField& present,
                        const Sink& sink) {
  const Block& block = tile.block;
  const auto width = base::index(tile.width);
  sum_tile(tile, records);
  if (block.shared.empty()) {
    if (field_.vertical->come_with_records) sum_levels(tile, records);
    find_weights(tile, present);
  }
  results_.resize(base::index(block.levels) * width);
  interpolate(tile);
  const std::int64_t first = block.first_cell + tile.outer * block.levels * block.inner + tile.begin;
  if (tile.width == block.inner) return sink(first, results_);
  for (std::int64_t k = 0; k < block.levels; ++k)
    sink(first + k * block.inner, std::span<const double>(results_).subspan(base::index(k) * width, width));
}

void LevelPass::sum_tile(const Tile& tile, WeightedRecords records) {
  const Block& block = tile.block;
  const auto width = base::index(tile.width);
  values_.resize(base::index(file_levels_) * width);
  const std::int64_t first = block.first_in_record + tile.outer * file_levels_ * block.inner + tile.begin;
  const std::span<double> values(values_);
  if (tile.width == block.inner) return sum_cells(records, field_.travels_as, base::index(first), values);
  for (std::int64_t l = 0; l < file_levels_; ++l)
    sum_cells(records, field_.travels_as, base::index(first + l * block.inner),
              values.subspan(base::index(l) * width, width));
}

// Behind values of float32 the levels may lie at any multiple of 4 bytes.
void LevelPass::sum_levels(const Tile& tile, WeightedRecords records) {
  const Block& block = tile.block;
  const std::size_t values_bytes = base::index(record_cells_) * model::size_of(field_.travels_as);
  from_.assign(base::index(file_levels_ * tile.width), 0.0);
  for (std::int64_t l = 0; l < file_levels_; ++l) {
    const std::int64_t first =
        block.first_in_record + (tile.outer * file_levels_ + l) * block.inner + tile.begin;
    double* const sums = from_.data() + l * tile.width;
    for (std::size_t r = 0; r < records.size(); ++r) {
      const std::byte* const row = records[r].values + values_bytes + base::index(first) * sizeof(double);
      const double weight = records.size() == 1 ? 1.0 : records[r].weight;
      for (std::int64_t i = 0; i < tile.width; ++i) {
        double level;
        std::memcpy(&level, row + base::index(i) * sizeof(double), sizeof(double));
        sums[i] = r == 0 ? weight * level : sums[i] + weight * level;
      }
    }
  }
}

void LevelPass::find_weights(const Tile& tile, const PresentField& present) {
  const Block& block = tile.block;
  const auto width = base::index(tile.width), levels = base::index(block.levels);
  if (block.to.empty()) {
    const bool is_fixed = levels_field_ < 0;
    const WeightedRecord cells{is_fixed ? std::as_bytes(std::span(fixed_)).data() : present.values.data()};
    to_.resize(levels * width);
    for (std::size_t k = 0; k < levels; ++k)
      sum_cells({&cells, 1}, is_fixed ? model::DataType::float64 : present.type,
                base::index(block.first_cell + tile.outer * block.levels * block.inner + tile.begin) +
                    k * base::index(block.inner),
                std::span(to_).subspan(k * width, width));
  }
  weights_.resize(levels * width);
  to_column_.resize(levels);
  from_column_.resize(base::index(file_levels_));
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t l = 0; field_.vertical->come_with_records && l < from_column_.size(); ++l)
      from_column_[l] = from_[l * width + i];
    for (std::size_t k = 0; block.to.empty() && k < levels; ++k) to_column_[k] = to_[k * width + i];
    input::find_level_weights(field_.vertical->come_with_records ? from_column_ : field_.vertical->levels,
                              block.to.empty() ? to_column_ : block.to, field_.request.vertical->options,
                              std::span(weights_).subspan(i * levels, levels));
  }
}

void LevelPass::interpolate(const Tile& tile) {
  const Block& block = tile.block;
  const auto width = base::index(tile.width), levels = base::index(block.levels);
  const auto at = [&](const input::LevelWeight& one, std::size_t i) {
    if (one.first == input::LevelWeight::missing) return std::numeric_limits<double>::quiet_NaN();
    const double* const first = values_.data() + base::index(one.first) * width + i;
    return one.weight == 0.0 ? *first : (1.0 - one.weight) * *first + one.weight * first[width];
  };
  for (std::size_t k = 0; k < levels; ++k) {
    double* const row = results_.data() + k * width;
    if (block.shared.empty())
      for (std::size_t i = 0; i < width; ++i) row[i] = at(weights_[i * levels + k], i);
    else
      for (std::size_t i = 0; i < width; ++i) row[i] = at(block.shared[k], i);
  }
}

}  // namespace tailrace::client
