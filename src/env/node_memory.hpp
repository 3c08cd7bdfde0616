// How much memory a process may still take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tailrace::env {

// The least of what the system has to give (MemAvailable) and of what the limits of this process's control
// groups leave; what files are kept in memory counts as free. Nothing where the system does not tell. `root`:
// in front of all that is read, for tests.
std::optional<std::uint64_t> memory_left(const std::string& root = "");

}  // namespace tailrace::env
