// Where a server's work runs: pieces of work on its workers in any order, file writes on one I/O thread in
// order. Threads with nothing to do sleep: they share their cores with the model.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// Used by the communication thread; work may submit more work. What a piece of work throws is kept as a
// fault.
class Executor {
 public:
  using Work = std::function<void()>;

  // `threads` workers and the I/O thread; 0: no thread at all, work runs inside submit and write (mode
  // inline). The doorbell rings when a piece of work is done, or soon after with the next; it must live
  // longer. `one_core`: all threads of the process have one core between them.
  Executor(int threads, transport::Doorbell& doorbell, bool one_core = false);
  ~Executor();  // finishes what was submitted

  // `light`: well below a millisecond. On one core that is done at once, inside the call: two changes of
  // threads cost as much, and no other core could have done it meanwhile.
  void submit(Work work, bool light = false);
  void write(Work work);
  int running() const { return running_.load(std::memory_order_acquire); }  // submitted or written, not done
  std::optional<base::Fault> take_fault();
  int threads() const { return threads_; }
  bool does_light_work_at_once() const { return threads_ == 0 || one_core_; }

 private:
  void run(const Work& work);
  void run_here(const Work& work);
  void hand_over(std::deque<Work>& queue, std::condition_variable& wake, Work&& work);
  void serve(const char* name, std::deque<Work>& queue, std::condition_variable& wake);

  int threads_;
  bool one_core_;
  transport::Doorbell& doorbell_;
  std::atomic<int> running_{0};
  std::mutex mutex_;  // guards queue_, writes_, stopping_, fault_
  std::deque<Work> queue_;
  std::deque<Work> writes_;
  bool stopping_ = false;
  std::optional<base::Fault> fault_;
  std::condition_variable wake_worker_;
  std::condition_variable wake_writer_;
  std::vector<std::thread> all_threads_;
};

}  // namespace tailrace::server
