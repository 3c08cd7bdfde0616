// Bounds the memory of messages that a process receives before it processes them. Its consumers of MPI
// messages share it.
#pragma once

#include <cstddef>

#include "base/thread_safety.hpp"

namespace tailrace::transport {

// Half of the room is divided evenly, so that no consumer takes what another needs. The other half is for a
// single message that is larger than a share. Only a consumer gets it that has no other message and whose
// client is asked, so it is returned without the arrival of any other message: that excludes a deadlock. A
// message that is larger than the whole room is received alone.
//
// Safe from several threads.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(std::size_t bytes) : half_(bytes / 2) {}

  void join();
  void leave();
  std::size_t part() const;            // of each consumer
  bool take_large(std::size_t bytes);  // false: another consumer holds it
  void give_large(std::size_t bytes);
  void held(std::size_t more, std::size_t less);
  std::size_t bytes() const;  // of all consumers, for the account

 private:
  const std::size_t half_;
  mutable base::Mutex mutex_;
  std::size_t consumers_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::size_t large_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ TAILRACE_GUARDED_BY(mutex_) = 0;
};

}  // namespace tailrace::transport
