// How much more memory a process may use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tailrace::env {

// The smaller of the system's available memory (MemAvailable) and of what the limits of this process's
// control groups leave. The page cache counts as free. Nothing if it is unknown. `root`: a prefix of all
// paths that are read, for tests.
std::optional<std::uint64_t> memory_left(const std::string& root = "");

}  // namespace tailrace::env
