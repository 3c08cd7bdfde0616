// Locks with annotations for Clang's thread safety analysis (-Wthread-safety, run by tools/check_threads). It
// checks at compile time that guarded members are accessed only while their mutex is held. The standard
// library's mutex has no annotations. With other compilers the annotations are empty.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define TAILRACE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TAILRACE_THREAD_ATTRIBUTE(x)
#endif

// For a member: it is accessed only while the mutex is held. PT: the same for the data that it points to.
#define TAILRACE_GUARDED_BY(mutex) TAILRACE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define TAILRACE_PT_GUARDED_BY(mutex) TAILRACE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
// For a function. REQUIRES: the caller holds the mutex. EXCLUDES: the caller does not, since the function
// locks it.
#define TAILRACE_REQUIRES(...) TAILRACE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TAILRACE_EXCLUDES(...) TAILRACE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// For a function: it locks or unlocks the mutex; without an argument, the lock of which it is a member.
#define TAILRACE_ACQUIRE(...) TAILRACE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TAILRACE_RELEASE(...) TAILRACE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TAILRACE_TRY_ACQUIRE(...) TAILRACE_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// For a class: it is a lock, or it holds a lock from its constructor to its destructor.
#define TAILRACE_CAPABILITY(name) TAILRACE_THREAD_ATTRIBUTE(capability(name))
#define TAILRACE_SCOPED_CAPABILITY TAILRACE_THREAD_ATTRIBUTE(scoped_lockable)

namespace tailrace::base {

class TAILRACE_CAPABILITY("mutex") Mutex {
 public:
  void lock() TAILRACE_ACQUIRE() { mutex_.lock(); }
  void unlock() TAILRACE_RELEASE() { mutex_.unlock(); }
  bool try_lock() TAILRACE_TRY_ACQUIRE(true) { return mutex_.try_lock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

// Holds a mutex to the end of its scope, and can release it in between. The mutex must live longer.
class TAILRACE_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) TAILRACE_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() TAILRACE_RELEASE() {
    if (held_) mutex_.unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

  void unlock() TAILRACE_RELEASE() {
    mutex_.unlock();
    held_ = false;
  }
  void lock() TAILRACE_ACQUIRE() {
    mutex_.lock();
    held_ = true;
  }

 private:
  Mutex& mutex_;
  bool held_ = true;
};

// A condition variable: threads wait until another one has changed the guarded data.
class Condition {
 public:
  // Releases the mutex while it waits. It may wake up spuriously, so call it in a loop that tests the
  // condition. (Clang's analysis would not know that a predicate function runs with the mutex held.)
  void wait(Mutex& mutex) TAILRACE_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    wake_.wait(lock);
    lock.release();
  }
  // The same, for so many seconds at most.
  void wait_for(Mutex& mutex, double seconds) TAILRACE_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    wake_.wait_for(lock, std::chrono::duration<double>(seconds));
    lock.release();
  }
  void notify_one() { wake_.notify_one(); }
  void notify_all() { wake_.notify_all(); }

 private:
  std::condition_variable wake_;
};

}  // namespace tailrace::base
