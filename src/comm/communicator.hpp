// Ranks, collectives during set-up, and tagged non-blocking messages. The only room that includes mpi.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailrace::comm {

// A send or receive in progress. The destructor blocks until it is done.
class Request {
 public:
  virtual ~Request() = default;
  virtual bool done() = 0;  // makes progress; local; never blocks
};

struct Incoming {
  int source = 0;
  int tag = 0;
  std::size_t bytes = 0;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Collective over the communicator; block.
  virtual void barrier() = 0;
  virtual std::vector<std::byte> broadcast(std::span<const std::byte> bytes, int root) = 0;
  virtual bool any_says(bool yes) = 0;  // whether any rank passed true: an allreduce with logical or
  // The bytes of all ranks, by rank, on every rank.
  virtual std::vector<std::vector<std::byte>> all_gather(std::span<const std::byte> bytes) = 0;
  // Ranks with the same colour, ordered by key then rank; null for a negative colour.
  virtual std::unique_ptr<Communicator> split(int colour, int key) = 0;
  virtual std::unique_ptr<Communicator> duplicate() = 0;

  // Local. The bytes of a send must stay valid until the request is done. Messages between a pair of ranks
  // with the same tag arrive in the order in which they were sent.
  virtual std::unique_ptr<Request> send(std::span<const std::byte> bytes, int to, int tag) = 0;
  virtual std::optional<Incoming> probe(int source, int tag) = 0;  // source/tag may be `any`
  virtual void receive(std::span<std::byte> bytes, int source,
                       int tag) = 0;  // REQUIRES: a probe reported the message
  // Starts to receive a large message that a probe reported. The buffer must stay valid until it is done.
  virtual std::unique_ptr<Request> start_receive(std::span<std::byte> bytes, int source, int tag) = 0;
  // Starts to gather the bytes of all ranks into `all`, one after the other, by rank. `counts`: how many
  // bytes each rank has, the same list on every rank, at most 1 GiB in all. All three must stay valid until
  // it is done. Collective, but does not block.
  virtual std::unique_ptr<Request> start_all_gather(std::span<const std::byte> bytes,
                                                    std::span<const int> counts,
                                                    std::span<std::byte> all) = 0;

  // The handle that MPI_Comm_f2c converts to an MPI_Comm; -1 without MPI. Valid while this object exists, or
  // until MPI_Finalize after hand_over().
  virtual int handle() const = 0;
  // Gives the communicator to the model, which may use it until MPI_Finalize, also without this object; or
  // until the model frees it. Its errors are then handled like those of `given`, a handle. Local.
  virtual void hand_over([[maybe_unused]] int given) {}
};

inline constexpr int any = -1;

// Duplicates the communicator with this Fortran handle (MPI_Comm_c2f). Collective. Errors from MPI throw
// Error(lost).
std::unique_ptr<Communicator> from_handle(int handle);
// The same without blocking: poll until it is done. If it is abandoned, its memory is left to MPI, since
// other ranks may never join the collective.
class PendingDuplicate {
 public:
  virtual ~PendingDuplicate() = default;
  virtual bool done() = 0;
  virtual std::unique_ptr<Communicator> take() = 0;  // once, when done
};
std::unique_ptr<PendingDuplicate> start_duplication(int handle);

// The members of the communicator with this handle. Local.
struct GroupMembers {
  int rank = 0;              // this one
  std::vector<int> numbers;  // of all, by rank: their ranks in MPI_COMM_WORLD
};
GroupMembers members_of(int handle);

std::unique_ptr<Communicator> serial();  // one rank, no MPI call

// The thread level with which MPI was initialised. Not collective.
enum class ThreadLevel { none, single, funneled, serialized, multiple };
ThreadLevel thread_level();  // none: MPI is not initialised (or this build has no MPI)
const char* name_of(ThreadLevel level);

// Initialises MPI for a program that consists only of Tailrace (tailrace serve), and finalises it in the
// destructor.
class Environment {
 public:
  Environment();
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
};
int world_handle();  // MPI_COMM_WORLD, for such a program only

// Runs `hook` when MPI is being finalised (attribute on MPI_COMM_SELF), unless the guard was destroyed
// before. So a rank that leaves without `finish` can report it, and the servers do not wait indefinitely.
class FinalizeGuard {
 public:
  virtual ~FinalizeGuard() = default;
};
std::unique_ptr<FinalizeGuard> on_finalize(void (*hook)(void*), void* argument);

// Ends the whole job with this status (MPI_Abort), as a last resort.
[[noreturn]] void abort_job(int status);

}  // namespace tailrace::comm
