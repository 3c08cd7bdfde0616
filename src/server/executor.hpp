// Where a server's work runs: pieces of work on its workers, file writes on threads of their own, so that a
// slow disk keeps no worker, and a slow file no other. Threads with nothing to do sleep: they share their
// cores with the model.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// Used by the communication thread; work may submit more work. What a piece of work throws is kept as a
// fault.
//
// One queue under one mutex, and not a queue for each worker with work to steal: a server has few workers,
// and pieces of work are made large enough (Intake) that a lock is nothing beside them.
class Executor {
 public:
  using Work = std::function<void()>;
  static constexpr int writers = 4;

  // `threads` workers, and `writers` threads for writes; 0: no thread at all, work runs inside submit and
  // write (mode inline). The doorbell rings when a piece of work is done, or soon after with the next; it
  // must live longer. `one_core`: all threads of the process have one core between them.
  // `cpus`: to which the threads are bound; empty: wherever the process may run.
  Executor(int threads, transport::Doorbell& doorbell, bool one_core = false, std::vector<int> cpus = {});
  ~Executor();  // finishes what was submitted

  // `light`: well below a millisecond. On one core that is done at once, inside the call: two changes of
  // threads cost as much, and no other core could have done it meanwhile.
  void submit(Work work, bool light = false);
  // Begun in this order, and done side by side: who wants one after the other hands over one after the other.
  void write(Work work);
  int running() const { return running_.load(std::memory_order_acquire); }  // submitted or written, not done
  std::optional<base::Fault> take_fault();
  int threads() const { return threads_; }
  bool does_light_work_at_once() const { return threads_ == 0 || one_core_; }

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
