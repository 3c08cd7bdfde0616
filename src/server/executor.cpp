#include "server/executor.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "env/threads.hpp"

namespace tailrace::server {

// The workers of this server; the limit keeps oneTBB from adding threads of its own on a crowded node.
struct Executor::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads) + 1),
        arena(threads, 0) {}
  tbb::global_control limit;
  tbb::task_arena arena;
};

Executor::Executor(int threads, transport::Doorbell& doorbell) : threads_(threads), doorbell_(doorbell) {
  if (threads_ == 0) return;
  arena_ = std::make_unique<Arena>(threads_);
  writer_ = std::thread([this] { write_loop(); });
}

Executor::~Executor() {
  if (threads_ == 0) return;
  // First all work, for a task may hand over something to write.
  while (running() > 0 || inside_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_writer_.notify_one();
  writer_.join();
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

void Executor::submit(Work work) {
  running_.fetch_add(1, std::memory_order_relaxed);
  if (threads_ == 0) return run(work);
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  arena_->arena.enqueue([this] { run_next(); });
}

void Executor::run_next() {
  inside_.fetch_add(1, std::memory_order_relaxed);
  Work work;
  {
    const std::lock_guard lock(mutex_);
    work = std::move(queue_.front());
    queue_.pop_front();
  }
  run(work);
  doorbell_.ring();
  inside_.fetch_sub(1, std::memory_order_release);
}

void Executor::write(Work work) {
  running_.fetch_add(1, std::memory_order_relaxed);
  if (threads_ == 0) return run(work);
  {
    const std::lock_guard lock(mutex_);
    writes_.push_back(std::move(work));
  }
  wake_writer_.notify_one();
}

void Executor::write_loop() {
  env::name_this_thread("tailrace-io");
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_writer_.wait(lock, [this] { return stopping_ || !writes_.empty(); });
    if (writes_.empty()) return;
    const Work work = std::move(writes_.front());
    writes_.pop_front();
    lock.unlock();
    run(work);
    doorbell_.ring();
    lock.lock();
  }
}

std::optional<base::Fault> Executor::take_fault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, std::nullopt);
}

}  // namespace tailrace::server
