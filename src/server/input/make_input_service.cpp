#include "server/input/make_input_service.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "env/programs.hpp"
#include "input/options.hpp"
#include "input/record_values.hpp"
#include "plan/inputs.hpp"
#include "regrid/section.hpp"

namespace tailrace::server {
namespace {

// Fractions of the component's memory on a server.
constexpr std::size_t record_share = 8;  // records on their way
constexpr std::size_t chunk_share = 4;   // chunks of files from which records are still to be made

bool has_inputs(const model::Declarations& declarations, const input::Options* options) {
  return options != nullptr && std::ranges::any_of(declarations.fields, [&](const model::Field& field) {
           return field.is_input && options->find(field.name) != nullptr;
         });
}

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

// An inline server reads for itself alone, as if there were no other.
std::vector<std::vector<int>> only(std::vector<std::vector<int>> clients, int server) {
  for (std::size_t other = 0; other < clients.size(); ++other)
    if (static_cast<int>(other) != server) clients[other].clear();
  return clients;
}

std::shared_ptr<input::WeightsStore> weights_of(const settings::Configuration& configuration) {
  return std::make_shared<input::WeightsStore>(
      regrid::WeightsCache{.directory = configuration.sections.get<regrid::Cache>().directory,
                           .interpreter = env::default_interpreter()},
      true);
}

}  // namespace

std::unique_ptr<InputService> make_input_service(const pipeline::ServedComponent& component,
                                                 const handshake::Run& run, std::size_t number,
                                                 const InputServices& services) {
  const pipeline::ComponentInfo& info = component.info();
  const auto* options = info.configuration.sections.find<input::Options>();
  if (!has_inputs(info.declarations, options)) return nullptr;
  const bool reads_alone = run.servers().mode == settings::Mode::inline_;
  auto clients = clients_by_server(run.assignment, number);
  if (reads_alone) clients = only(std::move(clients), services.messenger.rank());
  const auto cells = plan::input_grids_of_ranks(component.blueprint().plan, info.declarations).empty()
                         ? nullptr
                         : std::make_shared<input::CellsOfRanks>(info.declarations);
  const auto weights = weights_of(info.configuration);
  return std::make_unique<InputService>(
      InputSetting{.component = info.number,
                   .declarations = info.declarations,
                   .decomposition = info.decomposition,
                   .calendar = component.calendar(),
                   .entries = options->entries,
                   .begin = info.begin.time,
                   .clients = std::move(clients),
                   .reads_alone = reads_alone,
                   .memory = info.memory / record_share,
                   .cells_of_ranks = cells,
                   .weights = weights,
                   .make_reader =
                       [&info, cells, weights, calendar = component.calendar(),
                        chunks = std::make_shared<input::ChunkMemory>(info.memory / chunk_share)](
                           const input::Entry& entry, const std::vector<int>& fields) {
                         return input::make_reader(entry, fields,
                                                   {.declarations = info.declarations,
                                                    .calendar = calendar,
                                                    .folder = env::beside_library(""),
                                                    .directory = "",
                                                    .chunks = chunks,
                                                    .weights = weights,
                                                    .cells_of_ranks = cells});
                       }},
      services);
}

void refuse_input(const HostedComponent& hosted, messaging::Messenger& messenger, const base::Fault& fault) {
  const handshake::Run& run = *hosted.run;
  const auto* options = run.configurations[base::index(hosted.index)].sections.find<input::Options>();
  if (options == nullptr || options->empty() || run.servers().mode == settings::Mode::inline_) return;
  InputPreparation::refuse(messenger, hosted.number, fault);
}

}  // namespace tailrace::server
