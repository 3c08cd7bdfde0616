#include "server/executor.hpp"

#include <utility>

#include "env/clock.hpp"
#include "env/threads.hpp"

namespace tailrace::server {
namespace {

constexpr std::uint64_t longest_silence = 100'000;  // nanoseconds

}  // namespace

Executor::Executor(int threads, transport::Doorbell& doorbell, bool one_core)
    : threads_(threads), one_core_(one_core), doorbell_(doorbell) {
  if (threads_ == 0) return;
  for (int i = 0; i < threads_; ++i)
    all_threads_.emplace_back([this] { serve("tailrace-work", queue_, wake_worker_); });
  all_threads_.emplace_back([this] { serve("tailrace-io", writes_, wake_writer_); });
}

Executor::~Executor() {
  // First all work, for it may hand over more.
  while (running() > 0) std::this_thread::yield();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_worker_.notify_all();
  wake_writer_.notify_all();
  for (std::thread& thread : all_threads_) thread.join();
}

void Executor::run(const Work& work) {
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = base::current_fault();
  }
  running_.fetch_sub(1, std::memory_order_release);
}

void Executor::run_here(const Work& work) {
  running_.fetch_add(1, std::memory_order_relaxed);
  run(work);
}

void Executor::hand_over(std::deque<Work>& queue, std::condition_variable& wake, Work&& work) {
  if (threads_ == 0) return run_here(work);
  running_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    queue.push_back(std::move(work));
  }
  wake.notify_one();
}

void Executor::submit(Work work, bool light) {
  if (light && does_light_work_at_once()) return run_here(work);
  hand_over(queue_, wake_worker_, std::move(work));
}
void Executor::write(Work work) { hand_over(writes_, wake_writer_, std::move(work)); }

// Whoever has more to do at once tells of both with that: waking a sleeper costs more than little work.
void Executor::serve(const char* name, std::deque<Work>& queue, std::condition_variable& wake) {
  env::name_this_thread(name);
  std::uint64_t told = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake.wait(lock, [this, &queue] { return stopping_ || !queue.empty(); });
    if (queue.empty()) return;
    {
      const Work work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      run(work);
    }
    const std::uint64_t now = env::steady_nanoseconds();
    lock.lock();
    if (!queue.empty() && now - told < longest_silence) continue;
    told = now;
    lock.unlock();
    doorbell_.ring();
    lock.lock();
  }
}

std::optional<base::Fault> Executor::take_fault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, std::nullopt);
}

}  // namespace tailrace::server
