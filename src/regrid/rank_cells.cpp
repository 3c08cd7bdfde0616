#include "regrid/rank_cells.hpp"

#include <span>

#include "base/index.hpp"

namespace tailrace::regrid {

void put_rank_cells(base::ByteWriter& writer, const std::vector<RankCells>& cells) {
  writer.put(static_cast<std::int32_t>(cells.size()));
  for (const RankCells& one : cells) {
    writer.put(one.weights);
    writer.put(one.grid);
    writer.put_all(std::span<const model::Run>(one.numbers));
    one.geometry.put(writer);
  }
}

std::vector<RankCells> get_rank_cells(base::ByteReader& reader) {
  std::vector<RankCells> cells;
  for (auto count = reader.get<std::int32_t>(); count > 0; --count) {
    RankCells& one = cells.emplace_back();
    one.weights = reader.get<std::int32_t>();
    one.grid = reader.get<std::int32_t>();
    one.numbers = reader.get_all<model::Run>();
    one.geometry = CellGeometry::get(reader);
    std::int64_t numbers = 0;
    for (const model::Run& run : one.numbers) numbers += run.count;
    TAILRACE_ASSERT(numbers == std::ssize(one.geometry.lat), "each cell of a rank has a number");
  }
  return cells;
}

CellDigest digest_of(const RankCells& cells) {
  CellDigest sum;
  const CellGeometry& geometry = cells.geometry;
  const auto corners = base::index(geometry.corners);
  std::size_t at = 0;
  for (const model::Run& run : cells.numbers)
    for (std::int64_t number = run.start; number < run.start + run.count; ++number, ++at) {
      const auto add = [&](std::uint64_t digest) {
        digest = base::digest(std::as_bytes(std::span(&number, 1)), digest);
        digest = base::digest(std::as_bytes(std::span(&geometry.lat[at], 1)), digest);
        digest = base::digest(std::as_bytes(std::span(&geometry.lon[at], 1)), digest);
        if (corners == 0) return digest;
        digest = base::digest(std::as_bytes(std::span(geometry.lat_corners).subspan(at * corners, corners)),
                              digest);
        return base::digest(std::as_bytes(std::span(geometry.lon_corners).subspan(at * corners, corners)),
                            digest);
      };
      sum.add({add(base::empty_digest), add(~base::empty_digest)});
    }
  return sum;
}

}  // namespace tailrace::regrid
