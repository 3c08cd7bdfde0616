// Finds the process that has a file open for writing, for messages about files that are in use.
#pragma once

#include <string>

namespace tailrace::env {

// "process 4711 (python3) on node7", or, where no process of this node that this user may look at has it
// open, "a process that cannot be seen from node7". The calling process comes last, and only if it has more
// than `own` descriptors of the file: those with which the caller looks. Reads /proc, some milliseconds;
// never throws.
std::string who_writes(const std::string& path, int own = 0) noexcept;

}  // namespace tailrace::env
