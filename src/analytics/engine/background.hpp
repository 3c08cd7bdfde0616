// Work that goes to a worker and comes back.
#pragma once

#include <functional>
#include <vector>

#include "base/thread_safety.hpp"

namespace tailrace::analytics::engine {

// Only what comes back needs a lock: everything else of the engine is the communication thread's, because
// each worker's end is taken up there, inside progress(), one after the other.
class Background {
 public:
  using Submit = std::function<void(std::function<void()>, bool light)>;
  explicit Background(Submit submit) : submit_(std::move(submit)) {}

  // `work` on a worker, or at once where `light` and the executor thinks so; then `then`, always later, in
  // progress(), never inside this call: the caller's state is then what it was left as.
  void run(std::function<void()> work, std::function<void()> then, bool light);
  bool progress();  // true if anything had come back

 private:
  Submit submit_;
  base::Mutex mutex_;
  std::vector<std::function<void()>> posted_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::analytics::engine
