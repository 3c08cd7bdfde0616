// Where a server's work runs: tasks on oneTBB workers in any order, file writes on one I/O thread in order.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// Used by the communication thread; work may submit more work. What a piece of work throws is kept as a
// fault.
class Executor {
 public:
  using Work = std::function<void()>;

  // `threads` workers and the I/O thread; 0: no thread at all, work runs inside submit and write (mode
  // inline). The doorbell rings whenever a piece of work is done; it must live longer.
  Executor(int threads, transport::Doorbell& doorbell);
  ~Executor();  // finishes what was submitted

  void submit(Work work);
  void write(Work work);
  int running() const { return running_.load(std::memory_order_acquire); }  // submitted or written, not done
  std::optional<base::Fault> take_fault();
  int threads() const { return threads_; }

 private:
  struct Arena;
  void run(const Work& work);
  void run_next();
  void write_loop();

  int threads_;
  transport::Doorbell& doorbell_;
  std::atomic<int> running_{0};
  std::atomic<int> inside_{0};  // threads between taking work and having rung the doorbell
  std::mutex mutex_;            // guards queue_, writes_, stopping_, fault_
  std::deque<Work> queue_;
  std::deque<Work> writes_;
  bool stopping_ = false;
  std::optional<base::Fault> fault_;
  std::condition_variable wake_writer_;
  std::unique_ptr<Arena> arena_;
  std::thread writer_;
};

}  // namespace tailrace::server
