// Requests side by side: a few threads, and a bound on the bytes that wait in memory.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/thread_safety.hpp"

namespace tailrace::output::object_store {

// Used by one thread at a time. After a failure, what has not begun is dropped, and the next call throws.
class UploadQueue {
 public:
  // `threads`: how many requests at a time. They start with the first one.
  UploadQueue(int threads, std::size_t most_bytes) : most_threads_(threads), most_bytes_(most_bytes) {}
  ~UploadQueue();  // waits for the requests that have begun
  UploadQueue(const UploadQueue&) = delete;
  UploadQueue& operator=(const UploadQueue&) = delete;

  // `bytes`: those that `work` holds in memory. Blocks while they do not fit; a larger work waits until it is
  // alone. Works of the same key run one after the other.
  void add(const std::string& key, std::size_t bytes, std::function<void()> work) TAILRACE_EXCLUDES(mutex_);
  // Waits until all work has ended.
  void settle() TAILRACE_EXCLUDES(mutex_);
  // Waits for the work of this key.
  void settle(const std::string& key) TAILRACE_EXCLUDES(mutex_);

 private:
  struct Work {
    std::string key;
    std::size_t bytes = 0;
    std::function<void()> run;
  };
  void serve() TAILRACE_EXCLUDES(mutex_);
  void throw_failure() TAILRACE_REQUIRES(mutex_);

  const int most_threads_;
  const std::size_t most_bytes_;
  base::Mutex mutex_;
  base::Condition wake_, ended_;
  std::deque<Work> queue_ TAILRACE_GUARDED_BY(mutex_);
  std::set<std::string> keys_ TAILRACE_GUARDED_BY(mutex_);  // of works that have not ended
  std::size_t bytes_ TAILRACE_GUARDED_BY(mutex_) = 0;       // of these
  std::exception_ptr failure_ TAILRACE_GUARDED_BY(mutex_);
  bool stopping_ TAILRACE_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace tailrace::output::object_store
