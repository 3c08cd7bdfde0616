// The work of one component on the workers, counted, so that the component knows when none of it is left.
#pragma once

#include <atomic>

#include "env/executor.hpp"

namespace tailrace::pipeline {

class Tasks {
 public:
  explicit Tasks(env::Executor& executor) : executor_(executor) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // From any thread; `light` as Executor::submit means it. Work that throws counts as done: the executor
  // keeps its fault, and the component must come to its end all the same.
  void submit(env::Executor::Work work, bool light = false);
  bool none() const { return running_.load(std::memory_order_acquire) == 0; }
  void wait() const;  // until there is none; blocks

 private:
  env::Executor& executor_;
  std::atomic<int> running_{0};
};

}  // namespace tailrace::pipeline
