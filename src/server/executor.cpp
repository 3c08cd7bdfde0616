#include "server/executor.hpp"

#include <utility>

#include "env/clock.hpp"
#include "env/threads.hpp"

namespace tailrace::server {
namespace {

constexpr std::uint64_t longest_silence = 100'000;  // nanoseconds

}  // namespace

Executor::Executor(int threads, transport::Doorbell& doorbell, bool one_core, std::vector<int> cpus)
    : threads_(threads), one_core_(one_core), cpus_(std::move(cpus)), doorbell_(doorbell) {
  if (threads_ == 0) return;
  for (int i = 0; i < threads_; ++i) all_threads_.emplace_back([this] { serve("tailrace-work", work_lane); });
  for (int i = 0; i < writers; ++i) all_threads_.emplace_back([this] { serve("tailrace-io", write_lane); });
}

Executor::~Executor() {
  // First all compute tasks, because they may submit I/O tasks.
  while (running() > 0) std::this_thread::yield();
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  for (base::Condition& wake : wake_) wake.notify_all();
  for (std::thread& thread : all_threads_) thread.join();
}

void Executor::run(const Work& work) {
  try {
    work();
  } catch (...) {
    const base::MutexLock lock(mutex_);
    if (!fault_) fault_ = base::current_fault();
  }
  running_.fetch_sub(1, std::memory_order_release);
}

void Executor::run_here(const Work& work) {
  running_.fetch_add(1, std::memory_order_relaxed);
  run(work);
}

void Executor::hand_over(Lane lane, Work&& work) {
  if (threads_ == 0) return run_here(work);
  running_.fetch_add(1, std::memory_order_relaxed);
  {
    const base::MutexLock lock(mutex_);
    queues_[lane].push_back(std::move(work));
  }
  wake_[lane].notify_one();
}

void Executor::submit(Work work, bool light) {
  if (light && does_light_work_at_once()) return run_here(work);
  hand_over(work_lane, std::move(work));
}
void Executor::write(Work work) { hand_over(write_lane, std::move(work)); }

// A thread that has another task at once rings only once for both: waking a sleeping thread costs more than
// a small task.
void Executor::serve(const char* name, Lane lane) {
  env::name_this_thread(name);
  if (!cpus_.empty()) env::pin_this_thread(cpus_);
  std::uint64_t told = 0;
  base::MutexLock lock(mutex_);
  std::deque<Work>& queue = queues_[lane];
  for (;;) {
    while (!stopping_ && queue.empty()) wake_[lane].wait(mutex_);
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
  const base::MutexLock lock(mutex_);
  return std::exchange(fault_, std::nullopt);
}

}  // namespace tailrace::server
