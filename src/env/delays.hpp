// Delays at places that a test wants to shake: TAILRACE_RANDOM_DELAYS=<seed>:<most microseconds> at all of
// them, TAILRACE_FILE_DELAY=<microseconds> before each write of a file. Unset (always, outside tests) a call
// costs one predictable branch.
#pragma once

namespace tailrace::env {

extern const bool random_delays_on;  // constant after start-up
extern const bool delays_on;         // of either kind

void delay(const char* tag);

// `tag` names the place; it takes part in the sequence of random numbers, together with seed, MPI rank and
// thread.
inline void maybe_delay(const char* tag) {
  if (delays_on) [[unlikely]]
    delay(tag);
}

}  // namespace tailrace::env
