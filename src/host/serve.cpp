// A dedicated server: a process, or a rank of the model's job, that does nothing else.
#include "env/signals.hpp"
#include "host/fellows.hpp"
#include "host/host.hpp"

namespace tailrace::host {

void serve_until_done(handshake::Started& started) {
  std::optional<Host> host;
  std::optional<env::StopSignals> signals;
  try {
    host.emplace(*started.world, *started.servers, started.run);
    if (started.run.servers().signals != settings::Signals::none)
      signals.emplace(env::OwnHandler::called_too);
    if (signals) host->stop_watch().heed(*signals);
    host->run();
  } catch (...) {
    say_farewell(started, base::current_fault());
    throw;
  }
  // Whoever did not answer may never do so, and ending in good order would wait for it.
  if (!host->done()) env::end_by_signal(host->stop_watch().signal());
  if (const auto fault = host->fatal()) throw Error(fault->code, fault->message);
}

}  // namespace tailrace::host
