// A dedicated server: a process, or a rank of the model's job, that does nothing else.
#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "env/signals.hpp"
#include "handshake/unreceived.hpp"
#include "host/peer_servers.hpp"
#include "host/server_process.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::host {
namespace {

bool takes_wishes(const handshake::Run& run) {
  return std::ranges::any_of(run.configurations, [](const settings::Configuration& configuration) {
    const auto* options = configuration.sections.find<settings::CheckpointOptions>();
    return options != nullptr && options->is_asked_for && options->on_signal;
  });
}

}  // namespace

void serve_until_done(handshake::Started& started) {
  // A status or an exception of this rank would end the job that is to go on without it.
  const bool model_goes_on = started.run.servers().on_server_loss == settings::OnServerLoss::go_on;
  std::optional<ServerProcess> host;
  std::optional<env::StopSignals> signals;
  std::optional<env::CheckpointSignal>
      wishes;  // a wish is the model's to hear; this process must not end by it
  try {
    host.emplace(*started.world, *started.servers, started.run, std::move(started.lifelines));
    if (started.run.servers().signals != settings::Signals::none)
      signals.emplace(env::OwnHandler::called_too);
    if (takes_wishes(started.run)) wishes.emplace();
    if (signals) host->stop_controller().heed(*signals);
    host->run();
  } catch (...) {
    const base::Fault fault = base::current_fault();
    send_abort_notice(started, fault);
    if (!model_goes_on) throw;
    return base::log_error(fmt::format("server {} ends: {}", started.servers->rank(), fault.message));
  }
  // Whoever did not answer may never do so, and ending in good order would wait for it.
  if (!host->done()) env::end_by_signal(host->stop_controller().signal());
  if (model_goes_on && host->lost_peer()) return;
  if (const auto fault = host->fatal()) throw Error(fault->code, fault->message);
  host.reset();
  handshake::check_all_received(started);
}

}  // namespace tailrace::host
