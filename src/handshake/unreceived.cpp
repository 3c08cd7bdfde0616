#include "handshake/unreceived.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "handshake/connection.hpp"
#include "handshake/failure_detection/ping.hpp"
#include "messaging/collectives/polled_allreduce.hpp"

namespace tailrace::handshake {
namespace {

constexpr double patience_for_ranks = 3.0;
constexpr double patience_for_messages = 0.02;  // messages sent before the synchronization may be in flight

struct GaveUp {};

bool all_are_here(comm::Communicator& world) {
  const double end = env::steady_seconds() + patience_for_ranks;
  try {
    messaging::PolledTree tree(world, {static_cast<int>(Tag::check_up), static_cast<int>(Tag::check_down)},
                               {});
    messaging::synchronize(tree, [end] {
      if (env::steady_seconds() > end) throw GaveUp{};
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    });
    messaging::wait_until_sent(tree, patience_for_ranks);
    return true;
  } catch (const GaveUp&) {
    return false;
  }
}

int log_unreceived(comm::Communicator& communicator, const char* whose) {
  int count = 0;
  while (const auto incoming = communicator.probe(comm::any, comm::any)) {
    std::vector<std::byte> bytes(incoming->bytes);
    communicator.receive(bytes, incoming->source, incoming->tag);
    base::log_error(fmt::format("a message to rank {} {} was never received: {} bytes from rank {}, tag {}",
                                communicator.rank(), whose, incoming->bytes, incoming->source,
                                incoming->tag));
    ++count;
  }
  return count;
}

}  // namespace

void check_all_received(const Started& started) {
  discard_late_pings(*started.world);
  if (std::getenv("TAILRACE_CHECK_MESSAGES") == nullptr || !all_are_here(*started.world)) return;
  const double end = env::steady_seconds() + patience_for_messages;
  int count = 0;
  do {
    discard_late_pings(*started.world);
    count += log_unreceived(*started.world, "of the run");
    if (started.servers) count += log_unreceived(*started.servers, "of the servers");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (env::steady_seconds() < end);
  if (count == 0) base::log_info(fmt::format("rank {}: all messages were received", started.world->rank()));
}

}  // namespace tailrace::handshake
