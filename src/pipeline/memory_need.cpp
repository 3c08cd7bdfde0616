#include "pipeline/memory_need.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "plan/memory_needs.hpp"

namespace tailrace::pipeline {
namespace {

plan::MemoryNeeds needs_of(const Blueprint& blueprint, routing::Router& router, std::span<const int> clients,
                           int server) {
  const sinks::Owners& owners = router.owners();
  plan::MemoryNeeds needs =
      plan::memory_needs_of(blueprint.plan, blueprint.info.declarations,
                            {.servers = owners.servers(),
                             .cells =
                                 [&](int grid) {
                                   std::size_t cells = 0;
                                   for (const int client : clients)
                                     cells += static_cast<std::size_t>(blueprint.region(grid, client).size());
                                   return cells;
                                 },
                             .writes = [&](std::size_t file) { return owners.of_file(file) == server; }});
  needs.open = router.open_need();
  // The clients of other servers that overlap this server's chunks need about as much again.
  needs.geometry.bytes = 2 * router.make_geometry(clients);
  return needs;
}

}  // namespace

std::size_t check_memory(const Blueprint& blueprint, routing::Router& router, std::span<const int> clients,
                         int server) {
  const settings::ServersOptions& servers = blueprint.info.configuration.servers;
  const plan::MemoryNeeds needs = needs_of(blueprint, router, clients, server);
  const std::size_t memory = blueprint.info.memory;
  const auto lack = plan::lack_of_memory(needs, memory);
  if (!lack) return 0;
  const std::size_t components = std::max<std::size_t>(1, servers.memory / memory);
  const std::string remedy =
      fmt::format("`servers: {{memory: {} MiB}}` or more, more servers, or a plan that holds less",
                  (plan::memory_for(needs.total()) * components) >> 20);
  const std::string part = components > 1 ? fmt::format(", for {} components", components) : "";
  const std::string text =
      fmt::format("component \"{}\": server {} {}", blueprint.info.declarations.component, server, *lack);
  if (servers.memory_given)
    throw Error(ErrorCode::configuration,
                fmt::format("{}; memory is {} MiB{}; expected {}", text, servers.memory >> 20, part, remedy));
  if (const std::size_t all = needs.total() + memory; all > blueprint.info.memory_left)
    throw Error(
        ErrorCode::configuration,
        fmt::format(
            "{}; with {} MiB for data in transit (memory, which is not set) that is {} MiB, and this node "
            "has {} MiB left (of its memory, or of the limit of its control group); expected {}",
            text, memory >> 20, all >> 20, blueprint.info.memory_left >> 20, remedy));
  base::log_warning(
      fmt::format("{}, in addition to {} MiB for data in transit (memory, which is not set{}); to bound the "
                  "sum: {}",
                  text, servers.memory >> 20, part, remedy));
  return needs.total();
}

}  // namespace tailrace::pipeline
