#include "output/object_store/upload_queue.hpp"

#include <utility>

#include "env/threads.hpp"

namespace tailrace::output::object_store {

UploadQueue::~UploadQueue() {
  {
    const base::MutexLock lock(mutex_);
    queue_.clear();
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

// All work has ended when it throws, so that the caller may free what the work refers to.
void UploadQueue::throw_failure() {
  if (!failure_) return;
  while (!keys_.empty()) ended_.wait(mutex_);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void UploadQueue::add(const std::string& key, std::size_t bytes, std::function<void()> work) {
  base::MutexLock lock(mutex_);
  while (!failure_ && (keys_.contains(key) || (bytes_ > 0 && bytes_ + bytes > most_bytes_)))
    ended_.wait(mutex_);
  throw_failure();
  keys_.insert(key);
  bytes_ += bytes;
  queue_.push_back({key, bytes, std::move(work)});
  wake_.notify_one();
  if (std::ssize(threads_) < most_threads_ && keys_.size() > threads_.size())
    threads_.emplace_back([this] { serve(); });
}

void UploadQueue::settle() {
  base::MutexLock lock(mutex_);
  while (!keys_.empty()) ended_.wait(mutex_);
  throw_failure();
}

void UploadQueue::settle(const std::string& key) {
  base::MutexLock lock(mutex_);
  while (keys_.contains(key)) ended_.wait(mutex_);
  throw_failure();
}

void UploadQueue::serve() {
  env::name_this_thread("tailrace-put");
  base::MutexLock lock(mutex_);
  while (true) {
    while (queue_.empty() && !stopping_) wake_.wait(mutex_);
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    const bool is_dropped = failure_ != nullptr;
    lock.unlock();
    std::exception_ptr failure;
    try {
      if (!is_dropped) work.run();
    } catch (...) {
      failure = std::current_exception();
    }
    work.run = nullptr;  // frees what it holds before the bytes count as free
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    bytes_ -= work.bytes;
    keys_.erase(work.key);
    ended_.notify_all();
  }
}

}  // namespace tailrace::output::object_store
