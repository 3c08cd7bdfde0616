// Random delays at places that a test wants to shake: TAILRACE_RANDOM_DELAYS=<seed>:<most microseconds>.
// Unset (always, outside tests) a call costs one predictable branch.
#pragma once

namespace tailrace::env {

extern const bool random_delays_on;  // constant after start-up

void delay_at_random(const char* tag);

// `tag` names the place; it takes part in the sequence of random numbers, together with seed, MPI rank and
// thread.
inline void maybe_delay(const char* tag) {
  if (random_delays_on) [[unlikely]]
    delay_at_random(tag);
}

}  // namespace tailrace::env
