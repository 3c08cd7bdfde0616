// Faults at places that a test names: TAILRACE_FAULT_AT=<rank>:<place>:<kill|stop|throw|exit>[:<time>], where
// `time` says at which passing of the place (1, the first, if not given). Unset (always, outside tests) a
// call costs one predictable branch.
#pragma once

namespace tailrace::env {

extern const bool faults_on;  // constant after start-up

void fail_here(const char* place);

// `throw`: an Error(internal). The others end or stop this process, after a word on the log.
inline void maybe_fail(const char* place) {
  if (faults_on) [[unlikely]]
    fail_here(place);
}

}  // namespace tailrace::env
