// Initialisation and finalisation of MPI.

#include <cstdlib>

#include "comm/communicator.hpp"
#include "comm/mpi/check.hpp"
#include "comm/mpi/mpi_c.hpp"

namespace tailrace::comm {
namespace {

struct Hook {
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
};

// MPI deletes the attributes of MPI_COMM_SELF as the first act of MPI_Finalize, while messages can still be
// sent.
int attribute_deleted(MPI_Comm, int, void* attribute, void*) {
  auto& hook = *static_cast<Hook*>(attribute);
  if (const auto function = hook.function; function != nullptr) {
    hook.function = nullptr;
    function(hook.argument);
  }
  return MPI_SUCCESS;
}

class MpiFinalizeGuard final : public FinalizeGuard {
 public:
  MpiFinalizeGuard(void (*function)(void*), void* argument) : hook_{function, argument} {
    mpi::check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_deleted, &key_, nullptr),
               "MPI_Comm_create_keyval");
    mpi::check(MPI_Comm_set_attr(MPI_COMM_SELF, key_, &hook_), "MPI_Comm_set_attr");
  }
  ~MpiFinalizeGuard() override {
    const bool pending = hook_.function != nullptr;
    hook_.function = nullptr;
    if (!pending || !mpi::usable()) return;
    MPI_Comm_delete_attr(MPI_COMM_SELF, key_);
    MPI_Comm_free_keyval(&key_);
  }
  MpiFinalizeGuard(const MpiFinalizeGuard&) = delete;
  MpiFinalizeGuard& operator=(const MpiFinalizeGuard&) = delete;

 private:
  Hook hook_;
  int key_ = MPI_KEYVAL_INVALID;
};

class NoGuard final : public FinalizeGuard {};

}  // namespace

ThreadLevel thread_level() {
  if (!mpi::usable()) return ThreadLevel::none;
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided >= MPI_THREAD_MULTIPLE) return ThreadLevel::multiple;
  if (provided >= MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  if (provided >= MPI_THREAD_FUNNELED) return ThreadLevel::funneled;
  return ThreadLevel::single;
}

Environment::Environment() {
  int provided = 0;
  mpi::check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
}

Environment::~Environment() {
  if (mpi::usable()) MPI_Finalize();
}

int world_handle() { return static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD)); }

std::unique_ptr<FinalizeGuard> on_finalize(void (*hook)(void*), void* argument) {
  if (!mpi::usable()) return std::make_unique<NoGuard>();  // MPI will not be finalised
  return std::make_unique<MpiFinalizeGuard>(hook, argument);
}

void abort_job(int status) {
  if (mpi::usable()) MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

}  // namespace tailrace::comm
