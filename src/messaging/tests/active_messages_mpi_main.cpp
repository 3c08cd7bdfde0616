// Active messages between the ranks of an MPI job: tens of thousands of operations of all kinds, in another
// random order on every server and with random delays; then servers that leave names unmatched. Ends with
// status 1 and a line on stderr when something is not as it should be. Argument: how many operations.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "comm/communicator.hpp"
#include "messaging/tests/active_messages_stress.hpp"

namespace {

namespace comm = tailrace::comm;
using namespace tailrace::messaging;

std::string tell(const Name& name) {
  return "operation " + std::to_string(name.what) + "." + std::to_string(name.round);
}

void progress(Messenger& messenger, ActiveMessages& messages) {
  const bool heard = messenger.progress();
  if (!messages.progress() && !heard) std::this_thread::yield();
}

// Until all servers have ended; what was left unmatched anywhere.
template <class Meanwhile>
std::string finish(Messenger& messenger, ActiveMessages& messages, Meanwhile meanwhile) {
  std::optional<std::string> unmatched;
  messages.finish([&](const std::string& text) { unmatched = text; });
  while (!unmatched || !messenger.idle()) {
    meanwhile();
    progress(messenger, messages);
  }
  return *unmatched;
}

void stress(comm::Communicator& world, std::uint64_t seed, int operations) {
  Messenger messenger(world);
  ActiveMessages messages(messenger, static_cast<std::int32_t>(seed) * ActiveMessages::kinds, tell);
  testing::Stress stress(messages, world.rank(), world.size(), seed, operations);
  std::mt19937 random(static_cast<unsigned>(seed) * 100 + static_cast<unsigned>(world.rank()));
  const auto delay = [&] {
    if (random() % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
  };
  while (stress.issue()) {
    delay();
    progress(messenger, messages);
  }
  const std::string unmatched = finish(messenger, messages, delay);
  STRESS_REQUIRE(unmatched.empty());
  STRESS_REQUIRE(stress.completed() == stress.expected());
  STRESS_REQUIRE(messages.bytes() == 0 && messages.describe().empty());
}

// Rank 1 never issues its part of two operations.
void unmatched(comm::Communicator& world) {
  Messenger messenger(world);
  ActiveMessages messages(messenger, 1000, tell);
  const auto never = [](Bytes&&) { STRESS_REQUIRE(!"never complete"); };
  if (world.rank() != 1) {
    messages.gather({1, 1}, 0, {}, [](std::vector<Bytes>&&) { STRESS_REQUIRE(!"never complete"); });
    messages.broadcast({2, 1}, 1, {}, never);
  }
  const std::string text = finish(messenger, messages, [] {});
  STRESS_REQUIRE(text.find("server 0: gather of operation 1.1 waits for server 1") != std::string::npos);
  for (int rank = 0; rank < world.size(); ++rank)
    STRESS_REQUIRE(rank == 1 ||
                   text.find("server " + std::to_string(rank) +
                             ": broadcast of operation 2.1 waits for server 1") != std::string::npos);
  STRESS_REQUIRE(text.find("server 1:") == std::string::npos);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    const int operations = count > 1 ? std::atoi(arguments[1]) : 30000;
    const comm::Environment environment;
    const auto world = comm::from_handle(comm::world_handle());
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      stress(*world, seed, operations);
      world->barrier();
    }
    unmatched(*world);
    world->barrier();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "active_messages_mpi_main: %s\n", error.what());
    comm::abort_job(1);
  }
}
