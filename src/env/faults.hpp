// Fault injection for tests: TAILRACE_FAULT_AT=<rank>:<place>:<kill|stop|throw|exit>[:<time>] causes a fault
// when the rank reaches the place for the given time (default: the first). Without the variable (always,
// outside tests) a call costs one predictable branch.
#pragma once

namespace tailrace::env {

extern const bool faults_on;  // constant after start-up

void fail_here(const char* place);

// `throw` throws an Error(internal). The others log a warning, and end or stop this process.
inline void maybe_fail(const char* place) {
  if (faults_on) [[unlikely]]
    fail_here(place);
}

}  // namespace tailrace::env
