// Locks of which a compiler knows what they guard. Clang checks at compile time (-Wthread-safety, run by
// tools/check_threads) that what a mutex guards is touched only while it is held; the standard library's own
// mutex says nothing to it. With other compilers the words vanish and what remains is std::mutex.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define TAILRACE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define TAILRACE_THREAD_ATTRIBUTE(x)
#endif

// Of a member: read and written only with the mutex held; PT: what the pointer points to.
#define TAILRACE_GUARDED_BY(mutex) TAILRACE_THREAD_ATTRIBUTE(guarded_by(mutex))
#define TAILRACE_PT_GUARDED_BY(mutex) TAILRACE_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
// Of a function: who calls it holds the mutex; or may not, as it takes it itself.
#define TAILRACE_REQUIRES(...) TAILRACE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define TAILRACE_EXCLUDES(...) TAILRACE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Of a function: it leaves with the mutex held, or let go. Without a name: the lock that it is a member of.
#define TAILRACE_ACQUIRE(...) TAILRACE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define TAILRACE_RELEASE(...) TAILRACE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define TAILRACE_TRY_ACQUIRE(...) TAILRACE_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// Of a class: it is a lock; it holds one from its constructor to its destructor.
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

// Holds a mutex to the end of its scope; may let go of it and take it again in between. The mutex must live
// longer.
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

// What threads sleep on until another has changed what the mutex guards.
class Condition {
 public:
  // Lets go of the mutex while it sleeps. May return without reason: call it in a loop that looks. (A
  // predicate would be a function of its own, of which Clang does not know that the mutex is held.)
  void wait(Mutex& mutex) TAILRACE_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    wake_.wait(lock);
    lock.release();
  }
  void notify_one() { wake_.notify_one(); }
  void notify_all() { wake_.notify_all(); }

 private:
  std::condition_variable wake_;
};

}  // namespace tailrace::base
