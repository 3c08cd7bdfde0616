#include "pipeline/routing/open_chunks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::routing {
namespace {

constexpr std::size_t large_record = std::size_t{64} << 10;
constexpr std::size_t least_memory = std::size_t{64}
                                     << 20;  // a smaller bound is raised to this: other memory dominates it

std::size_t chunk_bytes(const Route& route) {
  const output::ChunkGrid& grid = route.geometry->grid();
  return static_cast<std::size_t>(grid.cells_per_chunk() * grid.records_per_chunk) *
         model::size_of(route.assembly->type());
}

// Counted twice: a commit writes the records of an open chunk from a copy.
std::size_t held_bytes(const Route& route, const sinks::Owners& owners, int server) {
  const output::ChunkGrid& grid = route.geometry->grid();
  if (grid.records_per_chunk == 1 || route.variable.record_bytes < large_record) return 0;
  std::size_t owned = 0;
  for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial)
    owned += owners.of_chunk(route.variable, spatial, 0) == server ? 1 : 0;
  return 2 * owned * chunk_bytes(route);
}

std::string name_of(const Blueprint& blueprint, const Route& route) {
  const cf::DatasetLayout& layout = blueprint.layouts[route.variable.file];
  const auto variable = base::index(layout.variables[route.variable.variable].variable);
  return layout.dataset.variables[variable].name;
}

}  // namespace

plan::MemoryNeed check_open_chunks(const Blueprint& blueprint, std::span<const Route> routes,
                                   const sinks::Owners& owners, int server) {
  const std::size_t memory = std::max(least_memory, blueprint.info.configuration.servers.memory);
  plan::MemoryNeed need = plan::MemoryNeeds{}.open;
  const Route* largest = nullptr;
  for (const Route& route : routes) {
    const std::size_t bytes = held_bytes(route, owners, server);
    if (bytes > need.most) largest = &route;
    need.add(bytes, "");
  }
  if (largest == nullptr) return need;
  const std::string name = name_of(blueprint, *largest);
  need.of = fmt::format("\"{}\" of {}", name, blueprint.plan.files[largest->variable.file].entry.path);
  if (need.bytes <= memory) return need;
  throw Error(
      ErrorCode::configuration,
      fmt::format(
          "{}: chunks of several records would take {} MiB of server {}, of which {} MiB are for \"{}\" "
          "({} records a chunk, {} KiB a record); expected at most {} MiB (servers.memory): use "
          "`access: maps`, shorter chunks, more servers or more memory",
          blueprint.plan.files[largest->variable.file].entry.path, need.bytes >> 20, server, need.most >> 20,
          name, largest->geometry->grid().records_per_chunk, largest->variable.record_bytes >> 10,
          memory >> 20));
}

}  // namespace tailrace::pipeline::routing
