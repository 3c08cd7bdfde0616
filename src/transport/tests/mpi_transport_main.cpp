// The conformance suite on every transport between nodes (that shares no memory): rank 0 accepts, every other
// rank invites it; first these send, then rank 0 does. Ends with status 1 and a line on stderr when something
// is not as it should be. Arguments: parts of names of cases (none: all).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "transport/registry.hpp"
#include "transport/testing/transport_conformance.hpp"

namespace {

namespace comm = tailrace::comm;
namespace transport = tailrace::transport;
using transport::Sender;
using transport::testing::Case;

void accept_all(const Case& what, comm::Communicator& world,
                const std::vector<std::vector<std::byte>>& invitations) {
  const auto doorbell = transport::make_heap_doorbell();
  for (int inviter = 1; inviter < world.size(); ++inviter) {
    const auto& bytes = invitations[static_cast<std::size_t>(inviter)];
    const std::string invitation(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (what.sender == Sender::inviter) {
      const auto consumer = transport::accept(invitation, world, inviter, *doorbell);
      what.consume(*consumer, *doorbell);
    } else {
      const auto producer = transport::accept_producer(invitation, world, inviter);
      what.produce(*producer);
    }
  }
}

void run(const Case& what, const transport::Transport& between, comm::Communicator& world, int tag) {
  if (world.rank() == 0) return accept_all(what, world, world.all_gather({}));
  const transport::Route route{.communicator = world,
                               .pair = {.inviter = world.rank(), .invitee = 0, .same_node = false},
                               .tag = tag,
                               .doorbell = ""};
  const transport::shm::NamedDoorbell bell{.doorbell = transport::make_heap_doorbell(), .name = ""};
  if (what.sender == Sender::inviter) {
    auto end = between.make_producer(route, what.options);
    world.all_gather(std::as_bytes(std::span(end.invitation)));
    what.produce(*end.producer);
  } else {
    auto end = between.make_consumer(route, what.options, bell);
    world.all_gather(std::as_bytes(std::span(end.invitation)));
    what.consume(*end.consumer, *bell.doorbell);
  }
}

bool chosen(const Case& what, int count, char** names) {
  return count < 2 || std::any_of(names + 1, names + count, [&](const char* name) {
           return what.name.find(name) != std::string::npos;
         });
}

// A rank that leaves without `finish`: the hook of MPI_Finalize is where abandon is called from.
void abandon_while_finalizing(comm::Communicator& world, std::unique_ptr<transport::ProducerEnd>& kept,
                              std::unique_ptr<comm::FinalizeGuard>& guard, int tag) {
  const auto doorbell = transport::make_heap_doorbell();
  if (world.rank() > 0) {
    kept = std::make_unique<transport::ProducerEnd>(
        transport::mpi::make_producer(world, 0, tag, {.bytes = 1 << 20}));
    world.all_gather(std::as_bytes(std::span(kept->invitation)));
    transport::testing::put(*kept->producer, 0, 300000);
    guard = comm::on_finalize([](void* producer) { static_cast<transport::Producer*>(producer)->abandon(); },
                              kept->producer.get());
    return;
  }
  const auto invitations = world.all_gather({});
  for (int client = 1; client < world.size(); ++client) {
    const auto& bytes = invitations[static_cast<std::size_t>(client)];
    const auto consumer = transport::accept({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                            world, client, *doorbell);
    const transport::Packet packet = transport::testing::await_next(*consumer, *doorbell);
    transport::testing::check(packet, 0, 300000);
    consumer->release(0);
    const transport::Packet last = transport::testing::await_next(*consumer, *doorbell);
    TRANSPORT_REQUIRE(last.header.kind == tailrace::model::PacketKind::abandon);
    consumer->release(last.sequence);
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::string name = "set-up";
  try {
    std::unique_ptr<comm::Communicator>
        world;  // outlives MPI, like that of a rank that leaves without `finish`
    std::unique_ptr<transport::ProducerEnd> kept;
    std::unique_ptr<comm::FinalizeGuard> guard;
    const comm::Environment environment;
    world = comm::from_handle(comm::world_handle());
    int tag = 100;
    for (const std::string& between : transport::transport_names()) {
      if (transport::find_transport(between)->shares_memory()) continue;
      for (const Case& what : transport::testing::both_directions()) {
        if (!chosen(what, count, arguments)) continue;
        name = between + ": " + what.name;
        const auto begin = std::chrono::steady_clock::now();
        run(what, *transport::find_transport(between), *world, tag);
        world->barrier();
        const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
        if (world->rank() == 0)
          std::printf("%-28s %s %.3f s\n", name.c_str(), what.sender == Sender::inviter ? "->" : "<-",
                      lasted.count());
        tag += 2;
      }
    }
    name = "abandon_while_finalizing";
    abandon_while_finalizing(*world, kept, guard, tag);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_transport_main: %s: %s\n", name.c_str(), error.what());
    comm::abort_job(1);
  }
}
