// The threads of a server: workers for compute tasks, and writers for I/O tasks. Threads without a task
// sleep, because they share their cores with the model.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "env/executor.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// Used by the communication thread and by tasks. The first exception that a task throws is kept as a fault.
//
// One queue under one mutex instead of a queue for each worker with work stealing: a server has few workers,
// and tasks are large enough (Intake) that the cost of a lock is negligible.
class Executor final : public env::Executor {
 public:
  // `threads` workers, and `writers` threads for I/O tasks; 0: no thread at all, tasks run inside submit and
  // write (mode inline). The doorbell rings when a task has ended, or soon after it together with the next
  // one; it must live longer. `one_core`: all threads of the process share one core. `cpus`: the cores to
  // which the threads are bound; empty: wherever the process may run.
  Executor(int threads, transport::Doorbell& doorbell, bool one_core = false, std::vector<int> cpus = {});
  ~Executor() override;  // finishes what was submitted

  // If all threads share one core, a light task runs inside the call: switching threads twice would cost as
  // much, and no other core could run the task meanwhile.
  void submit(Work work, bool light = false) override;
  void write(Work work) override;
  int running() const override { return running_.load(std::memory_order_acquire); }
  std::optional<base::Fault> take_fault();
  int threads() const override { return threads_; }
  bool does_light_work_at_once() const override { return threads_ == 0 || one_core_; }

 private:
  enum Lane : std::size_t { work_lane, write_lane };
  void run(const Work& work);
  void run_here(const Work& work);
  void hand_over(Lane lane, Work&& work);
  void serve(const char* name, Lane lane);

  int threads_;
  bool one_core_;
  std::vector<int> cpus_;
  transport::Doorbell& doorbell_;
  std::atomic<int> running_{0};
  base::Mutex mutex_;
  std::array<std::deque<Work>, 2> queues_ TAILRACE_GUARDED_BY(mutex_);  // by lane
  bool stopping_ TAILRACE_GUARDED_BY(mutex_) = false;
  std::optional<base::Fault> fault_ TAILRACE_GUARDED_BY(mutex_);
  std::array<base::Condition, 2> wake_;  // by lane
  std::vector<std::thread> all_threads_;
};

}  // namespace tailrace::server
