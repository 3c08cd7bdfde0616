// Delays for tests: TAILRACE_RANDOM_DELAYS=<seed>:<most microseconds> delays every place that calls
// `maybe_delay`, which shakes the order of events; TAILRACE_FILE_DELAY=<microseconds> delays each write of a
// file, like a slow disk. Without these variables (always, outside tests) a call costs one predictable
// branch.
#pragma once

#include <chrono>

namespace tailrace::env {

extern const bool random_delays_on;  // constant after start-up
extern const bool delays_on;         // of either kind

// Draws the next delay of the calling thread at the place `tag`. The sequence of random numbers depends on
// the seed, the MPI rank, the thread and the tags so far.
std::chrono::microseconds next_delay(const char* tag);

void delay(const char* tag);  // sleeps for the next delay

inline void maybe_delay(const char* tag) {
  if (delays_on) [[unlikely]]
    delay(tag);
}

}  // namespace tailrace::env
