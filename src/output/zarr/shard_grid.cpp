#include "output/zarr/shard_grid.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/zarr/options.hpp"

namespace tailrace::output::zarr {
namespace {

using Shape = std::vector<std::int64_t>;

// An index has 16 bytes for each chunk, and readers fetch all of it.
constexpr std::int64_t most_chunks = std::int64_t{1} << 16;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// How many chunks along the records come with each commit; 0 if that is not known, or not whole.
std::int64_t chunks_of_commit(const VariableSpec& variable) {
  const std::int64_t records = variable.records_of_commit.value_or(0);
  return records % variable.chunk[0] == 0 ? records / variable.chunk[0] : 0;
}

std::int64_t largest_divisor(std::int64_t of, std::int64_t most) {
  std::int64_t divisor = std::max<std::int64_t>(1, std::min(of, most));
  while (of % divisor != 0) --divisor;
  return divisor;
}

// Counts chunks from dim `first` on, in even parts of at most `room` chunks: whole along the fastest dims.
// Returns the room that is left for slower ones.
std::int64_t fill_dims(const Shape& counts, std::size_t first, std::int64_t room, Shape& taken) {
  for (std::size_t d = counts.size(); d-- > first;) {
    const std::int64_t parts = divide_up(counts[d], std::min(room, counts[d]));
    taken[d] = divide_up(counts[d], parts);
    room = parts > 1 ? 1 : room / taken[d];
  }
  return room;
}

}  // namespace

Shape shard_of(const DatasetSpec& spec, const VariableSpec& variable) {
  const Options& options = unwrap_options<Options>(spec.options.get());
  if (options.of_store) {
    const auto found = options.of_store->find(variable.name);
    return found == options.of_store->end() ? Shape() : found->second;
  }
  if (!options.shards || !variable.is_field || variable.chunk.empty()) return {};
  const bool is_growing = grows(spec, variable);
  const std::int64_t of_commit = is_growing ? chunks_of_commit(variable) : 0;
  if (is_growing && options.shard_records == 0 && variable.chunk[0] > 1 && of_commit == 0) return {};
  Shape counts;
  for (std::size_t d = 0; d < variable.dims.size(); ++d)
    counts.push_back(divide_up(spec.dims[base::index(variable.dims[d])].size, variable.chunk[d]));
  const std::size_t chunk_bytes =
      static_cast<std::size_t>(cells_of(variable.chunk)) * model::size_of(variable.type);
  const std::int64_t room =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(options.shard_bytes / chunk_bytes), 1, most_chunks);
  Shape taken(counts.size(), 1);
  if (is_growing && options.shard_records > 0) {
    taken[0] = divide_up(options.shard_records, variable.chunk[0]);
    fill_dims(counts, 1, std::max<std::int64_t>(1, room / taken[0]), taken);
  } else {
    const std::int64_t left = fill_dims(counts, is_growing ? 1 : 0, room, taken);
    if (is_growing && of_commit > 0) taken[0] = largest_divisor(of_commit, left);
  }
  if (cells_of(taken) == 1) return {};
  for (std::size_t d = 0; d < taken.size(); ++d) taken[d] *= variable.chunk[d];
  return taken;
}

std::size_t chunks_in(const Shape& shard, const Shape& chunk) {
  std::size_t chunks = 1;
  for (std::size_t d = 0; d < shard.size(); ++d) chunks *= base::index(shard[d] / chunk[d]);
  return chunks;
}

std::size_t number_in_shard(const Shape& offset, const Shape& shard, const Shape& chunk) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shard.size(); ++d)
    number = number * (shard[d] / chunk[d]) + offset[d] % shard[d] / chunk[d];
  return base::index(number);
}

Shape corner_in_shard(std::size_t number, const Shape& shard, const Shape& chunk) {
  Shape corner(shard.size(), 0);
  auto rest = static_cast<std::int64_t>(number);
  for (std::size_t d = shard.size(); d-- > 0;) {
    const std::int64_t count = shard[d] / chunk[d];
    corner[d] = rest % count * chunk[d];
    rest /= count;
  }
  return corner;
}

}  // namespace tailrace::output::zarr
