// Detects whether another process of this node is alive.
#pragma once

#include <cstdint>

namespace tailrace::transport {

// Stored in shared memory; all zero means no process. The start time distinguishes a process from a later one
// with the same number.
struct ProcessId {
  std::int32_t number = 0;
  std::uint64_t start = 0;      // clock ticks since boot; 0: unknown
  std::uint64_t pid_space = 0;  // the PID namespace, in which the number is valid; 0: unknown
};

ProcessId this_process();
// The nearest ancestor that is not a rank according to PMI: the launcher's process on this node (Hydra's
// hydra_pmi_proxy), also if a script is in between.
ProcessId launcher_process();
// True only if it is certain: a process that is not visible (in another container) counts as alive.
bool gone(const ProcessId& process);
// Whether it is stopped by a signal (SIGSTOP, a debugger); false if it is not visible.
bool stopped(const ProcessId& process);

}  // namespace tailrace::transport
