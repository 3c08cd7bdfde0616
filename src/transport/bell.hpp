// Sleeping until somebody says that something changed, across threads and across processes that share the
// memory.
#pragma once

#include <atomic>
#include <cstdint>

namespace tailrace::transport {

// Lies in heap or shared memory; all zero is a valid start. Who looks for work takes a ticket first and
// sleeps with it afterwards, so that nothing that is said in between is missed.
struct Bell {
  std::atomic<std::uint32_t> count;
  std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint64_t> wakes_at;  // when the latest sleeper gets up by itself: steady nanoseconds

  std::uint32_t ticket() const { return count.load(std::memory_order_acquire); }
  void ring();                  // a system call only when somebody sleeps
  void nudge(double patience);  // and this one only when it would sleep for longer than that
  // Until somebody rang after `ticket` was taken, or the time is over: a spin of a few microseconds, then a
  // futex.
  void sleep(std::uint32_t ticket, double seconds);
};

}  // namespace tailrace::transport
