#include "pipeline/tasks.hpp"

#include <thread>
#include <utility>

namespace tailrace::pipeline {

void Tasks::submit(env::Executor::Work work, bool light) {
  running_.fetch_add(1, std::memory_order_relaxed);
  auto counted = [this, work = std::move(work)] {
    struct Done {
      std::atomic<int>& count;
      ~Done() { count.fetch_sub(1, std::memory_order_release); }
    } const done{running_};
    work();
  };
  executor_.submit(std::move(counted), light);
}

void Tasks::wait() const {
  while (!none()) std::this_thread::yield();
}

}  // namespace tailrace::pipeline
