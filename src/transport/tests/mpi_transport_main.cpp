// The conformance suite on the transport between nodes: rank 0 is the server, every other rank a client of
// it. Ends with status 1 and a line on stderr when something is not as it should be. Arguments: parts of
// names of cases (none: all).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/communicator.hpp"
#include "transport/endpoints.hpp"
#include "transport/testing/transport_conformance.hpp"

namespace {

namespace comm = tailrace::comm;
namespace transport = tailrace::transport;
using transport::testing::Case;

void serve(const Case& what, comm::Communicator& world,
           const std::vector<std::vector<std::byte>>& invitations) {
  const auto doorbell = transport::make_heap_doorbell();
  for (int client = 1; client < world.size(); ++client) {
    const auto& bytes = invitations[static_cast<std::size_t>(client)];
    const std::string invitation(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const auto consumer = transport::accept(invitation, world, client, *doorbell);
    what.consume(*consumer, *doorbell);
  }
}

void run(const Case& what, comm::Communicator& world, int tag) {
  if (world.rank() == 0) return serve(what, world, world.all_gather({}));
  auto end = transport::mpi::make_producer(world, 0, tag, what.options);
  world.all_gather(std::as_bytes(std::span(end.invitation)));
  what.produce(*end.producer);
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
    const transport::Record record = transport::testing::await_next(*consumer, *doorbell);
    transport::testing::check(record, 0, 300000);
    consumer->release(0);
    const transport::Record last = transport::testing::await_next(*consumer, *doorbell);
    TRANSPORT_REQUIRE(last.header.kind == tailrace::model::RecordKind::abandon);
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
    for (const Case& what : transport::testing::conformance_cases()) {
      if (!chosen(what, count, arguments)) continue;
      name = what.name;
      const auto begin = std::chrono::steady_clock::now();
      run(what, *world, tag);
      world->barrier();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      if (world->rank() == 0) std::printf("%-28s %.3f s\n", name.c_str(), seconds);
      tag += 2;
    }
    name = "abandon_while_finalizing";
    abandon_while_finalizing(*world, kept, guard, tag);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_transport_main: %s: %s\n", name.c_str(), error.what());
    comm::abort_job(1);
  }
}
