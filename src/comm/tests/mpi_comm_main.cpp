// The MPI communicator on any number of ranks: `mpirun -n 3 comm_mpi_test`. Ends with status 1 and a line on
// stderr when something is not as it should be. With the argument `large`, messages past 2 GiB too (needs 6
// GiB of memory).
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "comm/communicator.hpp"
#include "comm/mpi/check.hpp"

namespace {

using tailrace::comm::Communicator;
using tailrace::comm::GroupMembers;
using tailrace::comm::members_of;
using tailrace::comm::start_duplication;
using tailrace::comm::world_handle;
using Bytes = std::vector<std::byte>;

#define REQUIRE(condition) \
  if (!(condition)) throw std::runtime_error(std::to_string(__LINE__) + ": " #condition)

Bytes pattern(std::size_t size, int seed) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + static_cast<std::size_t>(seed)) >> 3);
  return bytes;
}

void duplication() {
  const GroupMembers members = members_of(world_handle());
  REQUIRE(members.numbers.at(tailrace::base::index(members.rank)) == members.rank);
  const auto duplication = start_duplication(world_handle());
  while (!duplication->done()) std::this_thread::yield();
  const auto copy = duplication->take();
  REQUIRE(copy->handle() != world_handle());
  REQUIRE(copy->rank() == members.rank);
  REQUIRE(copy->size() == static_cast<int>(members.numbers.size()));
  const auto part = copy->split(0, -copy->rank());  // the order turned round
  const GroupMembers turned = members_of(part->handle());
  REQUIRE(turned.numbers.at(tailrace::base::index(turned.rank)) == members.rank);
  if (copy->size() == 1) start_duplication(world_handle());  // given up: nobody waits for it
}

void collectives(Communicator& world) {
  for (int root = 0; root < world.size(); ++root) {
    const Bytes sent = world.rank() == root ? pattern(1000, root) : Bytes{};
    REQUIRE(world.broadcast(sent, root) == pattern(1000, root));
  }
  const auto all = world.all_gather(pattern(static_cast<std::size_t>(world.rank() * 10), world.rank()));
  REQUIRE(all.size() == static_cast<std::size_t>(world.size()));
  for (int i = 0; i < world.size(); ++i)
    REQUIRE(all[tailrace::base::index(i)] == pattern(static_cast<std::size_t>(i * 10), i));
  const auto part = world.split(world.rank() == 0 ? -1 : world.rank() % 2, -world.rank());
  REQUIRE((part == nullptr) == (world.rank() == 0));
  if (part) REQUIRE(part->size() >= 1 && part->rank() < part->size());
  world.barrier();
}

void messages(Communicator& world, std::size_t size) {
  const int to = (world.rank() + 1) % world.size();
  const int from = (world.rank() + world.size() - 1) % world.size();
  const Bytes first = pattern(size, world.rank());
  const Bytes second = pattern(3, world.rank() + 1);
  const auto one = world.send(first, to, 5);
  const auto two = world.send(second, to, 5);
  std::optional<tailrace::comm::Incoming> incoming;
  while (!(incoming = world.probe(tailrace::comm::any, 5))) {
  }
  REQUIRE(incoming->source == from && incoming->tag == 5 && incoming->bytes == size);
  Bytes received(size);
  const auto request = world.start_receive(received, from, 5);
  while (!request->done()) {
  }
  REQUIRE(received == pattern(size, from));
  while (!world.probe(from, tailrace::comm::any)) {
  }
  received.resize(3);
  world.receive(received, from, 5);
  REQUIRE(received == pattern(3, from + 1));
  while (!one->done() || !two->done()) {
  }
}

void piecewise_types() {  // the path of huge messages, with small numbers
  for (const std::size_t size : {std::size_t{0}, std::size_t{99}, std::size_t{100}, std::size_t{101},
                                 std::size_t{200}, std::size_t{12345}}) {
    const tailrace::comm::mpi::Extent extent(size, 100, 99);
    REQUIRE((extent.type == MPI_BYTE) == (size <= 99));
    MPI_Count bytes = 0;
    MPI_Type_size_x(extent.type, &bytes);
    REQUIRE(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(extent.count) == size);
    const Bytes sent = pattern(size, 1);
    Bytes received(size);
    MPI_Sendrecv(sent.data(), extent.count, extent.type, 0, 1, received.data(), extent.count, extent.type, 0,
                 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    REQUIRE(received == sent);
  }
}

void errors(Communicator& world) {
  try {
    world.send({}, world.size() + 5, 0);
    throw std::runtime_error("a send to nobody succeeded");
  } catch (const tailrace::Error& error) {
    REQUIRE(error.code() == tailrace::ErrorCode::lost);
    REQUIRE(std::string(error.what()).find("MPI_Isend: ") == 0);
  }
}

int freed = 0;

int count_free(MPI_Comm, int, void*, void*) {
  ++freed;
  return MPI_SUCCESS;
}

MPI_Comm handed_over(Communicator& world) {
  const auto copy = world.duplicate();
  copy->hand_over(world_handle());
  return MPI_Comm_f2c(copy->handle());
}

// The model may use its communicator after the session, and free it.
void communicators_of_the_model(Communicator& world) {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_free, &key, nullptr);
  for (int i = 0; i < 3; ++i) {
    MPI_Comm of_model = handed_over(world);
    MPI_Comm_set_attr(of_model, key, nullptr);
    int sum = 1;
    REQUIRE(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, of_model) == MPI_SUCCESS);
    REQUIRE(sum == world.size());
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(of_model, &handler);
    REQUIRE(handler == MPI_ERRORS_ARE_FATAL);  // as on MPI_COMM_WORLD
    REQUIRE(freed == 0);
    if (i < 2) continue;
    MPI_Comm_free(&of_model);
    REQUIRE(freed == 1);
  }
}

int hooks_run = 0;

int run(bool large) {
  namespace comm = tailrace::comm;
  std::unique_ptr<comm::FinalizeGuard> kept;
  {
    const comm::Environment environment;
    const auto world = comm::from_handle(comm::world_handle());
    REQUIRE(comm::thread_level() == comm::ThreadLevel::multiple);
    REQUIRE(world->handle() != comm::world_handle());
    collectives(*world);
    collectives(*world->duplicate());
    duplication();
    for (const std::size_t size : {std::size_t{0}, std::size_t{1000}, std::size_t{5} << 20})
      messages(*world, size);
    if (large) messages(*world, (std::size_t{5} << 29) + 12345);
    piecewise_types();
    errors(*world);
    communicators_of_the_model(*world);
    {
      const auto gone = comm::on_finalize([](void*) { hooks_run += 100; }, nullptr);
    }
    kept = comm::on_finalize([](void* argument) { ++*static_cast<int*>(argument); }, &hooks_run);
    REQUIRE(hooks_run == 0);
  }
  REQUIRE(hooks_run == 1);
  REQUIRE(freed == 3);
  REQUIRE(comm::thread_level() == comm::ThreadLevel::none);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count > 1 && std::strcmp(arguments[1], "large") == 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpi_comm_main: %s\n", error.what());
    tailrace::comm::abort_job(1);
  }
}
