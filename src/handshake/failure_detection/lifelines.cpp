#include "handshake/failure_detection/lifelines.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/startup_monitor.hpp"
#include "messaging/sending.hpp"

namespace tailrace::handshake {

LifelinesInStart::LifelinesInStart(comm::Communicator& world, Run& run) : world_(world), run_(run) {
  const auto own = run.assignment.servers.find(world.rank());
  if (!own) return;
  lifelines_.watched = std::make_unique<DeathListener>(run, static_cast<int>(*own));
  for (const int rank : lifelines_.watched->watchers()) {
    base::ByteWriter writer;
    writer.put(static_cast<std::int32_t>(*own));
    writer.put(transport::this_process());
    put_address(writer, lifelines_.watched->address_for(rank));
    sendings_.emplace_back(world, writer.take(), rank, static_cast<int>(Tag::lifeline));
  }
}

void LifelinesInStart::look() {
  if (lifelines_.watched) lifelines_.watched->accept();
  while (const auto message = messaging::poll(world_, comm::any, static_cast<int>(Tag::lifeline))) {
    base::ByteReader reader(*message);
    const auto server = reader.get<std::int32_t>();
    TAILRACE_ASSERT(server >= 0 && static_cast<std::size_t>(server) < run_.assignment.servers.size(),
                    "a lifeline of an unknown server");
    run_.processes[run_.assignment.servers[base::index(server)]] = reader.get<transport::ProcessId>();
    const env::LifelineAddress address = get_address(reader);
    if (address.port != 0)
      lifelines_.lines.push_back({server, env::Lifeline(address, static_cast<std::uint64_t>(world_.rank()))});
  }
  for (LifelineTo& one : lifelines_.lines)
    if (one.line.look() == env::Lifeline::State::cut)
      throw LostInStart(run_.assignment.servers[base::index(one.server)], process_ended, true);
}

bool LifelinesInStart::all_are_connected() const {
  const bool expects = lifelines_.watched && lifelines_.watched->awaits_watchers();
  return !expects && std::ranges::none_of(lifelines_.lines, [](const LifelineTo& one) {
    return one.line.state() == env::Lifeline::State::connecting;
  });
}

}  // namespace tailrace::handshake
