#include "own_thread.hpp"

#include <pthread.h>

#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace tailrace::python {
namespace {

constexpr std::size_t handler_stack = 64 * 1024;

// The thread that runs the user's Python, one function at a time (turn_). The caller waits, so a pointer to
// the work, guarded by mutex_, is enough to hand it over. The thread never ends, since the process must not
// wait for it.
class OwnThread {
 public:
  static OwnThread& instance() {
    static auto* only = new OwnThread;  // never destroyed: its thread outlives static objects
    return *only;
  }

  void run(const std::function<void()>& work) {
    const std::lock_guard turn(turn_);
    std::unique_lock lock(mutex_);
    if (!started_) start();
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr; });
  }

 private:
  // Leaves signals that are not crashes to other threads.
  void start() {
    sigset_t all, before;
    sigfillset(&all);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, number);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] { loop(); }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    started_ = true;
  }

  void loop() {
    // A stack for the handler that reports a crash, since the crash may be an overflow of the thread's own.
    std::vector<char> spare(handler_stack);
    stack_t stack{};
    stack.ss_sp = spare.data();
    stack.ss_size = spare.size();
    sigaltstack(&stack, nullptr);
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      const std::function<void()>& work = *work_;
      lock.unlock();
      work();
      lock.lock();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  bool started_ = false;
};

}  // namespace

void run_on_own_thread(const std::function<void()>& work) { OwnThread::instance().run(work); }

}  // namespace tailrace::python
