#include "comm/mpi/handed_over.hpp"

#include <utility>
#include <vector>

#include "base/thread_safety.hpp"
#include "comm/mpi/check.hpp"

namespace tailrace::comm::mpi {
namespace {

// Two attributes watch the communicators: one of each communicator, which MPI deletes when the model frees
// it, and one of MPI_COMM_SELF, which MPI deletes as the first act of MPI_Finalize.
struct HandedOver {
  base::Mutex mutex;
  std::vector<MPI_Comm> communicators TAILRACE_GUARDED_BY(mutex);
  int freed_key TAILRACE_GUARDED_BY(mutex) = MPI_KEYVAL_INVALID;
};

HandedOver& handed_over() {
  static HandedOver all;
  return all;
}

int freed(MPI_Comm communicator, int, void*, void*) {
  HandedOver& all = handed_over();
  const base::MutexLock lock(all.mutex);
  std::erase(all.communicators, communicator);
  return MPI_SUCCESS;
}

int finalizing(MPI_Comm, int, void*, void*) {
  HandedOver& all = handed_over();
  std::vector<MPI_Comm> left;
  {
    const base::MutexLock lock(all.mutex);
    left = std::exchange(all.communicators, {});
  }
  for (MPI_Comm communicator : left) MPI_Comm_free(&communicator);
  return MPI_SUCCESS;
}

}  // namespace

void free_in_finalize(MPI_Comm communicator) {
  HandedOver& all = handed_over();
  const base::MutexLock lock(all.mutex);
  if (all.freed_key == MPI_KEYVAL_INVALID) {
    int finalize_key = MPI_KEYVAL_INVALID;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &all.freed_key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalizing, &finalize_key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, nullptr), "MPI_Comm_set_attr");
  }
  check(MPI_Comm_set_attr(communicator, all.freed_key, nullptr), "MPI_Comm_set_attr");
  all.communicators.push_back(communicator);
}

}  // namespace tailrace::comm::mpi
