#include "client/buffer_size.hpp"

#include <algorithm>

#include "model/data_type.hpp"

namespace tailrace::client {
namespace {

constexpr std::size_t steps = 16;
constexpr std::size_t least = std::size_t{1} << 20;
constexpr std::size_t packet_head = 128;  // estimate of all bytes of a packet besides its values
// The last packet contains, for each field, its name, some counters and a histogram of the times of its
// puts.
constexpr std::size_t counters_of_field = 200, timings_of_used = 2048;

}  // namespace

std::size_t suitable_buffer(const Declarer& declarer, const std::vector<bool>& used, std::size_t at_most) {
  const auto& fields = declarer.declarations().fields;
  std::size_t step = packet_head, largest = 0, counters = timings_of_used;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const std::int64_t cells = declarer.cells(static_cast<std::size_t>(fields[f].grid));
    const std::size_t bytes = static_cast<std::size_t>(cells) * model::size_of(fields[f].type) + packet_head;
    largest = std::max(largest, bytes);
    counters += fields[f].name.size() + counters_of_field + (used[f] ? timings_of_used : 0);
    if (used[f] && !fields[f].is_static) step += bytes;
  }
  // A field that exceeds the bound is reported by name when it is put.
  return std::min(at_most, std::max({least, steps * step, 2 * largest, 2 * counters}));
}

}  // namespace tailrace::client
