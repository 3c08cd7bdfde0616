#include "cf/chunk_shape.hpp"

#include <algorithm>

namespace tailrace::cf {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t chunk_bytes = 1024 * kib;
constexpr std::int64_t small_record = 16 * kib;       // below it, records share a chunk ...
constexpr std::int64_t small_chunk_bytes = 64 * kib;  // ... of this size
constexpr std::int64_t least_filled_bytes = 2 * kib;  // of a chunk that a commit fills
constexpr std::int64_t series_piece = 16 * kib;
constexpr std::int64_t most_records = 4096;
constexpr std::int64_t most_contiguous_bytes = 1024 * kib;

std::int64_t bytes_of(std::span<const std::int64_t> shape, std::size_t element_bytes) {
  auto bytes = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t extent : shape) bytes *= extent;
  return bytes;
}

std::int64_t records_within(std::int64_t bytes, std::int64_t record_bytes) {
  return std::clamp<std::int64_t>(bytes / record_bytes, 1, most_records);
}

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::vector<std::int64_t> cut_shape(std::span<const std::int64_t> shape, std::size_t element_bytes,
                                    std::int64_t target) {
  std::vector<std::int64_t> cells(shape.begin(), shape.end());
  if (bytes_of(shape, element_bytes) <= 2 * target) return cells;
  auto bytes = static_cast<std::int64_t>(element_bytes);
  for (std::size_t d = shape.size(); d-- > 0;) {
    const std::int64_t fitting = std::max<std::int64_t>(1, target / bytes);
    const std::int64_t parts = divide_up(shape[d], fitting);
    cells[d] = divide_up(shape[d], parts);
    bytes *= cells[d];
  }
  return cells;
}

std::int64_t healpix_piece(std::int64_t cells) {
  std::int64_t piece = 1;
  while (piece * 4 <= cells) piece *= 4;
  return piece;
}

ChunkShape fill_by_commits(const ChunkShape& chunk, std::span<const std::int64_t> shape,
                           std::size_t element_bytes, double records_of_commit) {
  const auto commit = static_cast<std::int64_t>(std::min(records_of_commit, 1e9));
  if (static_cast<double>(commit) != records_of_commit) return chunk;
  ChunkShape filled{std::min(chunk.records, commit), chunk.cells};
  while (commit % filled.records != 0) --filled.records;
  const bool divides_badly = filled.records < std::min(chunk.records / 4, commit);
  // Fewer records make room for larger pieces of each.
  if (filled.records * bytes_of(filled.cells, element_bytes) < small_chunk_bytes / 2)
    filled.cells = cut_shape(shape, element_bytes, small_chunk_bytes / filled.records);
  const bool is_small = filled.records * bytes_of(filled.cells, element_bytes) < least_filled_bytes;
  return divides_badly || is_small ? chunk : filled;
}

ChunkShape choose_chunk(std::span<const std::int64_t> shape, std::size_t element_bytes,
                        settings::Access access, std::size_t open_bytes) {
  const std::int64_t record_bytes = bytes_of(shape, element_bytes);
  if (access == settings::Access::series) {
    const auto room = static_cast<std::int64_t>(std::min<std::size_t>(open_bytes, INT64_MAX));
    const bool is_small = record_bytes < small_chunk_bytes;
    const std::int64_t most = is_small ? most_records : records_within(room, record_bytes);
    // Few records would make small chunks, and many of these a large index.
    const std::int64_t piece = std::max(series_piece, small_chunk_bytes / most);
    const std::vector<std::int64_t> cells = cut_shape(shape, element_bytes, piece);
    return {std::min(most, records_within(chunk_bytes, bytes_of(cells, element_bytes))), cells};
  }
  const std::int64_t records =
      record_bytes < small_record ? records_within(small_chunk_bytes, record_bytes) : 1;
  return {records, cut_shape(shape, element_bytes, chunk_bytes)};
}

std::vector<std::int64_t> cut_static(std::span<const std::int64_t> shape, std::size_t element_bytes) {
  if (bytes_of(shape, element_bytes) <= most_contiguous_bytes) return {};
  return cut_shape(shape, element_bytes, most_contiguous_bytes);
}

}  // namespace tailrace::cf
