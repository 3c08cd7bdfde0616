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
#include "base/index.hpp"
#include "comm/communicator.hpp"
#include "transport/endpoints.hpp"
#include "transport/receive_budget.hpp"
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
    const auto& bytes = invitations[tailrace::base::index(inviter)];
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
    const auto& bytes = invitations[tailrace::base::index(client)];
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

// Senders that are many steps ahead, with blocks that are larger than a part of the receiver's room: it holds
// no more than it has room for, and takes the steps of all in turn.
void share_a_room(comm::Communicator& world, int tag) {
  constexpr int steps = 12;
  constexpr std::size_t large = 300000, small = 1000, room_bytes = 400000;
  const auto say = [](transport::Producer& producer, tailrace::model::PacketHeader header,
                      std::size_t bytes) {
    producer.reserve(bytes);
    producer.publish(header);
  };
  const auto doorbell = transport::make_heap_doorbell();
  if (world.rank() > 0) {
    const auto end = transport::mpi::make_producer(world, 0, tag, {.bytes = std::size_t{8} << 20});
    world.all_gather(std::as_bytes(std::span(end.invitation)));
    for (int step = 1; step <= steps; ++step) {
      say(*end.producer, {tailrace::model::PacketKind::tick, 0, step, 0.0}, 0);
      for (const std::size_t bytes : {small, large, small})
        say(*end.producer, {tailrace::model::PacketKind::block, 0, step, 0.0}, bytes);
      if (step % 3 == 0) end.producer->flush();
    }
    return transport::testing::finish(*end.producer);
  }
  transport::ReceiveBudget room(room_bytes);
  std::vector<std::unique_ptr<transport::Consumer>> consumers;
  const auto invitations = world.all_gather({});
  for (int client = 1; client < world.size(); ++client) {
    const auto& bytes = invitations[tailrace::base::index(client)];
    consumers.push_back(transport::accept({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, world,
                                          client, *doorbell));
    consumers.back()->receive_into(room);
  }
  // Up to the next word that is no block, as a server takes them.
  std::size_t most = 0;
  const auto take_step = [&](transport::Consumer& consumer) {
    for (bool is_block = true; is_block;) {
      const transport::Packet packet = transport::testing::await_next(consumer, *doorbell);
      most = std::max(most, room.bytes());
      TRANSPORT_REQUIRE(room.bytes() <= room_bytes / 2 + large + 4096);
      is_block = packet.header.kind == tailrace::model::PacketKind::block;
      consumer.release(packet.sequence);
    }
  };
  for (int step = 0; step <= steps; ++step) {
    for (const auto& consumer : consumers) take_step(*consumer);
    std::reverse(consumers.begin(), consumers.end());
  }
  TRANSPORT_REQUIRE(most >= large && room.bytes() == 0);
  for (const auto& consumer : consumers) TRANSPORT_REQUIRE(!consumer->next());  // reports the releases
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
    name = "share_a_room";
    share_a_room(*world, tag);
    world->barrier();
    tag += 2;
    name = "abandon_while_finalizing";
    abandon_while_finalizing(*world, kept, guard, tag);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_transport_main: %s: %s\n", name.c_str(), error.what());
    comm::abort_job(1);
  }
}
