// A doorbell: threads, or processes that share the memory, sleep until another one reports a change. It is an
// event count on a futex (Drepper, "Futexes are tricky", 2011). Without it an idle server would spin, or
// sleep for fixed times and react late.
#pragma once

#include <atomic>
#include <cstdint>

namespace tailrace::transport {

// In heap or shared memory; all zero is a valid initial state. A consumer takes a ticket before it looks for
// work and sleeps with that ticket, so that it misses no ring in between.
struct EventCount {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint64_t> wakes_at;  // when the latest sleeper's time is over: monotonic nanoseconds

  std::uint32_t ticket() const { return count.load(std::memory_order_acquire); }
  void ring();                  // makes a system call only if a thread sleeps
  void nudge(double patience);  // only if it would sleep for longer than `patience` seconds
  // Blocks until a ring after `ticket` was taken, or until the time is over: spins for a few microseconds,
  // then waits on a futex.
  void sleep(std::uint32_t ticket, double seconds);
};

}  // namespace tailrace::transport
