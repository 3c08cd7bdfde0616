#include "client/buffer_size.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "input/prepared.hpp"
#include "model/data_type.hpp"

namespace tailrace::client {
namespace {

constexpr std::size_t steps = 16;
constexpr std::size_t least = std::size_t{1} << 20;
constexpr std::size_t packet_head = 128;  // estimate of all bytes of a packet besides its values
// The last packet contains, for each field, its name, some counters and a histogram of the times of its
// puts.
constexpr std::size_t counters_of_field = 128, timings_of_used = 2048;
// Levels of a file that are interpolated: as many as those of large models, and with a hybrid coordinate the
// pressure of each cell besides its value.
constexpr std::int64_t most_levels = 150;
constexpr std::size_t bytes_of_level = 2 * sizeof(double);
constexpr std::size_t record_head = packet_head + sizeof(input::RecordHead);

// A record of the cells, or of the columns of which they are.
std::size_t record_bytes(const Declarer& declarer, const ExpectedInput& input) {
  const auto& declarations = declarer.declarations();
  const auto g = base::index(declarations.fields[base::index(input.field)].grid);
  const auto& grid = declarations.grids[g];
  const bool is_whole = grid.kind == model::GridKind::replicated;  // on every rank
  const std::int64_t cells = is_whole ? grid.size() : declarer.cells(g);
  if (input.levels_dim < 0) return static_cast<std::size_t>(cells) * sizeof(double) + record_head;
  const std::int64_t levels = std::max<std::int64_t>(1, grid.shape[base::index(input.levels_dim)]);
  const std::int64_t columns = (cells + levels - 1) / levels;  // a rank has whole columns
  return static_cast<std::size_t>(columns * std::max(levels, most_levels)) * bytes_of_level + record_head;
}

}  // namespace

std::size_t suitable_buffer(const Declarer& declarer, const std::vector<bool>& used, std::size_t at_most) {
  return suitable_buffer(
      declarer.declarations().fields, [&](std::size_t grid) { return declarer.cells(grid); }, used, at_most);
}

std::size_t suitable_buffer(std::span<const model::Field> fields,
                            const std::function<std::int64_t(std::size_t grid)>& cells_of,
                            const std::vector<bool>& used, std::size_t at_most) {
  std::size_t step = packet_head, largest = 0, counters = timings_of_used;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::int64_t cells = cells_of(static_cast<std::size_t>(fields[f].grid));
    const std::size_t bytes = static_cast<std::size_t>(cells) * model::size_of(fields[f].type) + packet_head;
    if (!fields[f].is_input) largest = std::max(largest, bytes);
    counters +=
        fields[f].name.size() + counters_of_field + (used[f] || fields[f].is_input ? timings_of_used : 0);
    if (used[f] && !fields[f].is_static) step += bytes;
  }
  // A field that exceeds the bound is reported by name when it is put.
  return std::min(at_most, std::max({least, steps * step, 2 * largest, 2 * counters}));
}

std::size_t input_buffer(const Declarer& declarer, std::span<const ExpectedInput> inputs,
                         std::size_t at_most) {
  std::size_t all = 0, largest = 0;
  for (const ExpectedInput& input : inputs) {
    const std::size_t bytes = record_bytes(declarer, input);
    largest = std::max(largest, bytes);
    all += static_cast<std::size_t>(std::max<std::int64_t>(1, input.records)) * bytes;
  }
  return std::max({least, 2 * largest, std::min(at_most, all)});
}

}  // namespace tailrace::client
