#include "pipeline/routing/open_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::pipeline::routing {
namespace {

constexpr std::size_t large_record = std::size_t{64} << 10;
constexpr std::size_t least_memory = std::size_t{64}
                                     << 20;  // below it, what a server has besides counts for more

std::size_t chunk_bytes(const Route& route) {
  const output::ChunkGrid& grid = route.geometry->grid();
  return static_cast<std::size_t>(grid.cells_per_chunk() * grid.records_per_chunk) *
         model::size_of(route.assembly->type());
}

// A commit writes an open chunk as far as its records are there, from a copy.
std::size_t held_bytes(const Route& route, const sinks::Owners& owners, int server) {
  const output::ChunkGrid& grid = route.geometry->grid();
  if (grid.records_per_chunk == 1 || route.variable.record_bytes < large_record) return 0;
  std::size_t owned = 0;
  for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial)
    owned += owners.of_chunk(route.variable, spatial, 0) == server ? 1 : 0;
  return 2 * owned * chunk_bytes(route);
}

}  // namespace

void check_open_chunks(const Blueprint& blueprint, std::span<const Route> routes, const sinks::Owners& owners,
                       int server) {
  const std::size_t memory = std::max(least_memory, blueprint.info.configuration.servers.memory);
  std::size_t held = 0, most = 0;
  const Route* largest = nullptr;
  for (const Route& route : routes) {
    const std::size_t bytes = held_bytes(route, owners, server);
    held += bytes;
    if (bytes <= most) continue;
    most = bytes;
    largest = &route;
  }
  if (held <= memory) return;
  const cf::FileLayout& layout = blueprint.layouts[largest->variable.file];
  const auto variable = static_cast<std::size_t>(layout.variables[largest->variable.variable].variable);
  throw Error(
      ErrorCode::configuration,
      fmt::format(
          "{}: chunks of several records would take {} MiB of server {}, of which {} MiB are for \"{}\" "
          "({} records a chunk, {} KiB a record); expected at most {} MiB (servers.memory): use "
          "`access: maps`, shorter chunks, more servers or more memory",
          blueprint.plan.files[largest->variable.file].entry.path, held >> 20, server, most >> 20,
          layout.dataset.variables[variable].name, largest->geometry->grid().records_per_chunk,
          largest->variable.record_bytes >> 10, memory >> 20));
}

}  // namespace tailrace::pipeline::routing
