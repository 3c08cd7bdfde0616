// Submits the work of one component to the workers and counts it, so that the component knows when all is
// done.
#pragma once

#include <atomic>

#include "env/executor.hpp"

namespace tailrace::pipeline {

class Tasks {
 public:
  explicit Tasks(env::Executor& executor) : executor_(executor) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // From any thread; `light` as in Executor::submit. Work that throws counts as done: the executor keeps the
  // fault, and the component must be able to end.
  void submit(env::Executor::Work work, bool light = false);
  bool none() const { return running_.load(std::memory_order_acquire) == 0; }
  void wait() const;  // blocks until none() is true

 private:
  env::Executor& executor_;
  std::atomic<int> running_{0};
};

}  // namespace tailrace::pipeline
