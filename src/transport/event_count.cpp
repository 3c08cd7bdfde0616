#include "transport/event_count.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cmath>
#include <ctime>

#include "env/clock.hpp"

namespace tailrace::transport {
namespace {

constexpr int spins = 50;  // about 2 microseconds

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "a futex is a plain 32-bit word");

// Not a private futex: the word may be in memory that processes share.
long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr, 0);
}

}  // namespace

// The ringer increments the count, then looks for sleepers. The sleeper announces itself, then the kernel
// compares the count. Both are sequentially consistent, so at least one sees the other.
void EventCount::ring() {
  count.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers.load(std::memory_order_seq_cst) > 0) futex(count, FUTEX_WAKE, INT_MAX, nullptr);
}

void EventCount::nudge(double patience) {
  count.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t sleeping = sleepers.load(std::memory_order_seq_cst);
  if (sleeping == 0) return;
  const std::uint64_t soon = env::steady_nanoseconds() + static_cast<std::uint64_t>(1e9 * patience);
  if (sleeping > 1 || wakes_at.load(std::memory_order_relaxed) > soon)
    futex(count, FUTEX_WAKE, INT_MAX, nullptr);
}

void EventCount::sleep(std::uint32_t ticket, double seconds) {
  for (int i = 0; i < spins; ++i) {
    if (count.load(std::memory_order_acquire) != ticket) return;
    relax();
  }
  timespec timeout{};
  timeout.tv_sec = static_cast<std::time_t>(std::floor(seconds));
  timeout.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
  wakes_at.store(env::steady_nanoseconds() + static_cast<std::uint64_t>(1e9 * seconds),
                 std::memory_order_relaxed);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (count.load(std::memory_order_seq_cst) == ticket) futex(count, FUTEX_WAIT, ticket, &timeout);
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace tailrace::transport
