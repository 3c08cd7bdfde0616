// The memory for chunks of several records.
//
// A chunk that spans several records stays open in memory until its last record is complete, and every commit
// before that writes a copy of it. With long chunks along time this can be more than all other memory of a
// server, and no flow control could bound it, since an open chunk waits for steps of the model. So `ready`
// computes it in advance.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "pipeline/routing/route.hpp"
#include "plan/memory_needs.hpp"

namespace tailrace::pipeline::routing {

// Returns the memory of the open chunks of large records that one server owns, with their copies. Throws
// Error(configuration) if it exceeds the server's memory. `routes`: by number of the output variable.
plan::MemoryNeed check_open_chunks(const Blueprint& blueprint, std::span<const Route> routes,
                                   const sinks::Owners& owners, int server);

}  // namespace tailrace::pipeline::routing
