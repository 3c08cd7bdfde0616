#include "server/regrid/make_regrid_preparation.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "env/programs.hpp"
#include "regrid/section.hpp"

namespace tailrace::server {
namespace {

// By server: the clients, as ranks in the component.
std::vector<std::vector<int>> clients_by_server(const handshake::Assignment& assignment,
                                                std::size_t component) {
  std::vector<std::vector<int>> clients(assignment.servers.size());
  const handshake::StridedRuns& ranks = assignment.ranks[component];
  for (std::size_t client = 0; client < ranks.size(); ++client)
    clients[base::index(assignment.server_of[base::index(ranks[client])])].push_back(
        static_cast<int>(client));
  return clients;
}

bool asks_for_regridding(const settings::Configuration& configuration) {
  return std::ranges::any_of(configuration.files, [](const settings::OutputEntry& file) {
    return file.regrid || std::ranges::any_of(file.variables, [](const settings::VariableEntry& variable) {
             return variable.regrid != nullptr;
           });
  });
}

}  // namespace

std::unique_ptr<RegridPreparation> make_regrid_preparation(const pipeline::ServedComponent& component,
                                                           const handshake::Run& run, std::size_t number,
                                                           messaging::Messenger& messenger,
                                                           env::Executor& executor) {
  const pipeline::Blueprint& blueprint = component.blueprint();
  if (!blueprint.plan.regridding) return nullptr;
  const auto* cache = blueprint.info.configuration.sections.find<regrid::Cache>();
  return std::make_unique<RegridPreparation>(
      RegridSetting{.blueprint = blueprint,
                    .clients = clients_by_server(run.assignment, number),
                    .cache = (cache != nullptr ? *cache : regrid::Cache()).directory,
                    .interpreter = env::default_interpreter()},
      messenger, executor);
}

void refuse_regridding(const HostedComponent& hosted, messaging::Messenger& messenger,
                       const base::Fault& fault) {
  if (!asks_for_regridding(hosted.run->configurations[base::index(hosted.index)])) return;
  const int first_server = hosted.run->assignment.server_of[base::index(hosted.root)];
  RegridPreparation::refuse(messenger, hosted.number, first_server, fault);
}

}  // namespace tailrace::server
