// What a process may receive ahead of the work on it, shared by its consumers whose packets come in messages.
#pragma once

#include <cstddef>

#include "base/thread_safety.hpp"

namespace tailrace::transport {

// Half of the room is divided evenly, so that no consumer takes what another needs. The other half is for one
// message at a time that is larger than a part: it is given to a consumer that holds nothing else and is
// looked into, and so comes back without any other message. One that is larger than all of the room has it to
// itself.
//
// Safe from several threads.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(std::size_t bytes) : half_(bytes / 2) {}

  void join();
  void leave();
  std::size_t part() const;            // of each consumer
  bool take_large(std::size_t bytes);  // false: another has it
  void give_large(std::size_t bytes);
  void held(std::size_t more, std::size_t less);
  std::size_t bytes() const;  // held by all, for the account

 private:
  const std::size_t half_;
  mutable base::Mutex mutex_;
  std::size_t consumers_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::size_t large_ TAILRACE_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ TAILRACE_GUARDED_BY(mutex_) = 0;
};

}  // namespace tailrace::transport
