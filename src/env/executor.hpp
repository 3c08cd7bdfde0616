// Where a server's work runs: compute tasks on its workers, I/O tasks on threads of their own, so that a slow
// disk occupies no worker and a slow file delays no other file.
#pragma once

#include <functional>

namespace tailrace::env {

// Tasks may submit further tasks. The owner of the executor keeps the exception of a task as a fault.
class Executor {
 public:
  using Work = std::function<void()>;
  static constexpr int writers = 4;  // I/O tasks that run at a time, where they do not run inside the call
  virtual ~Executor() = default;

  // A compute task. `light`: it takes well below a millisecond, so that it may run inside the call.
  virtual void submit(Work work, bool light = false) = 0;
  // An I/O task. These begin in the order of the calls and run side by side: to run one after the other,
  // submit the second at the end of the first.
  virtual void write(Work work) = 0;
  virtual int running() const = 0;  // tasks that were handed over and have not ended
  virtual int threads() const = 0;  // workers; 0: every task runs inside the call (mode inline)
  virtual bool does_light_work_at_once() const = 0;
};

}  // namespace tailrace::env
