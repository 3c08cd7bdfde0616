#include "pipeline/memory_need.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text_tree.hpp"
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
                             .writes = [&](std::size_t file) { return owners.of_file(file) == server; },
                             .commits = plan::commits_at_a_time(blueprint.info.configuration.servers.mode)});
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
  const auto words = [](std::size_t bytes) { return base::bytes_text(static_cast<double>(bytes)); };
  const std::string option = fmt::format("`servers: {{memory: {}}}`",
                                         plan::memory_option(plan::memory_for(needs.total()) * components));
  const std::string part = components > 1 ? fmt::format(", for {} components", components) : "";
  const std::string text =
      fmt::format("component \"{}\": server {} {}", blueprint.info.declarations.component, server, *lack);
  if (servers.memory_given)
    throw Error(ErrorCode::configuration,
                fmt::format("{}; memory is {}{}; expected {} or more, or more servers", text,
                            words(servers.memory), part, option));
  if (const std::size_t all = needs.total() + memory; all > blueprint.info.memory_left)
    throw Error(
        ErrorCode::configuration,
        fmt::format("{}; with {} for data in transit that is {}, and this node, or its control group, has {} "
                    "left; expected more servers or nodes, or {}",
                    text, words(memory), words(all), words(blueprint.info.memory_left), option));
  base::log_warning(fmt::format("{}, besides {} for data in transit{}; {} bounds the sum", text,
                                words(servers.memory), part, option));
  return needs.total();
}

}  // namespace tailrace::pipeline
