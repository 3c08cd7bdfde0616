#include "sinks/owners.hpp"

namespace tailrace::sinks {
namespace {

// The place of a chunk among those that different servers may own.
struct Unit {
  std::int64_t record = 0;      // number along the records
  std::int64_t spatial = 0;     // number within a record
  std::int64_t per_record = 0;  // how many a record has
};

Unit unit_of(const OwnedVariable& variable, std::int64_t spatial, std::int64_t record_chunk) {
  const output::ChunkGrid& grid = *variable.grid;
  const std::vector<std::int64_t>& together = variable.chunks_of_file;
  if (together.empty()) return {record_chunk, spatial, grid.chunks_per_record()};
  Unit unit{record_chunk / together[0], 0, 1};
  for (std::size_t d = grid.shape.size(); d-- > 0;) {
    const std::int64_t chunks = (grid.shape[d] + grid.chunk[d] - 1) / grid.chunk[d];
    unit.spatial += spatial % chunks / together[d + 1] * unit.per_record;
    unit.per_record *= (chunks + together[d + 1] - 1) / together[d + 1];
    spatial /= chunks;
  }
  return unit;
}

}  // namespace

int Owners::of_file(std::size_t file) const {
  return static_cast<int>((file + static_cast<std::size_t>(component_)) % static_cast<std::size_t>(servers_));
}

int Owners::of_chunk(const OwnedVariable& variable, std::int64_t spatial, std::int64_t record_chunk) const {
  const int file = of_file(variable.file);
  if (!variable.spread || variable.record_bytes < worth_spreading) return file;
  // Chunks of several records keep their owner, because it holds them open from commit to commit.
  const Unit unit = unit_of(variable, spatial, record_chunk);
  const std::int64_t turn = variable.grid->records_per_chunk > 1 ? 0 : unit.record * unit.per_record;
  return static_cast<int>((file + static_cast<std::int64_t>(variable.variable) + unit.spatial + turn) %
                          servers_);
}

}  // namespace tailrace::sinks
