// Asynchronous work: runs a function on a worker, and its continuation on the communication thread.
#pragma once

#include <functional>
#include <vector>

#include "base/thread_safety.hpp"

namespace tailrace::analytics::engine {

// The continuations run on the communication thread, within progress(), one after the other. So all other
// state of the engine belongs to that thread, and only the queue of finished work needs a lock.
class Background {
 public:
  using Submit = std::function<void(std::function<void()>, bool light)>;
  explicit Background(Submit submit) : submit_(std::move(submit)) {}

  // Runs `work` on a worker, or at once if it is `light` and the executor chooses to; `then` always runs
  // later, in progress() and never within this call, so that the caller can complete its own state first.
  void run(std::function<void()> work, std::function<void()> then, bool light);
  bool progress();  // true if any work had finished

 private:
  Submit submit_;
  base::Mutex mutex_;
  std::vector<std::function<void()>> posted_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::analytics::engine
