// Whether the process on the other side of a piece of shared memory is still there.
#pragma once

#include <cstdint>

namespace tailrace::transport {

// Lies in shared memory; all zero means nobody. The start time tells a process from a later one with the same
// number.
struct ProcessId {
  std::int32_t number = 0;
  std::uint64_t start = 0;      // clock ticks since boot; 0: unknown
  std::uint64_t pid_space = 0;  // numbers mean something only within one such space; 0: unknown
};

ProcessId this_process();
// The nearest ancestor that is no rank of a job by PMI: with launchers that start all ranks of a node from
// one process (Hydra's hydra_pmi_proxy), that one, also where a script stands between.
ProcessId launcher_process();
// True only when it is certain: a process that cannot be seen from here (another container) counts as there.
bool gone(const ProcessId& process);
// By a signal (SIGSTOP, a debugger); false where it cannot be seen.
bool stopped(const ProcessId& process);

}  // namespace tailrace::transport
