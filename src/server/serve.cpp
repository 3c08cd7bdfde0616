// Runs a dedicated server: a process, or a rank of the model's job, that only serves.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/log.hpp"
#include "env/signals.hpp"
#include "handshake/ready.hpp"
#include "handshake/unreceived.hpp"
#include "server/peer_servers.hpp"
#include "server/server_process.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::server {
namespace {

bool takes_wishes(const handshake::Run& run) {
  return std::ranges::any_of(run.configurations, [](const settings::Configuration& configuration) {
    const auto* options = configuration.sections.find<settings::CheckpointOptions>();
    return options != nullptr && options->is_asked_for && options->on_signal;
  });
}

}  // namespace

void serve_until_done(handshake::Started& started) {
  // An exit status or an exception of this rank would end the job, which must continue without it.
  const bool model_goes_on = started.run.servers().on_server_loss == settings::OnServerLoss::go_on;
  std::optional<ServerProcess> process;
  std::optional<env::StopSignals> signals;
  std::optional<env::EndAnnouncement> announcement;
  std::optional<env::CheckpointSignal>
      wishes;  // the signal is meant for the model; it must not end this process
  try {
    process.emplace(*started.world, *started.servers, started.run, std::move(started.lifelines));
    if (const auto numbers = stop_signals(started.run.servers(), false); !numbers.empty()) {
      signals.emplace(env::OwnHandler::called_too, numbers);
      announcement.emplace();
      process->stop_controller().heed(*signals);
      process->stop_controller().heed(*announcement);
    }
    if (takes_wishes(started.run)) wishes.emplace();
    process->run();
  } catch (...) {
    const base::Fault fault = base::current_fault();
    send_abort_notice(started, fault);
    if (!model_goes_on) throw;
    return base::log_error(fmt::format("server {} ends: {}", started.servers->rank(), fault.message));
  }
  // A rank that did not answer may never do so, and a regular end would wait for it.
  if (!process->done()) env::end_by_signal(process->stop_controller().signal());
  if (model_goes_on && process->lost_peer()) return;
  if (const auto fault = process->fatal()) {
    if (!process->refused()) throw Error(fault->code, fault->message);
    const base::Fault shared = handshake::shared_fault(*fault, "ready", false);
    // The launcher ends all ranks when one has ended; the first rank has to report the reason.
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    throw Error(shared.code, shared.message);
  }
  process.reset();
  handshake::check_all_received(started);
}

}  // namespace tailrace::server
