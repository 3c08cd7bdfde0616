// What a server must hold because records are put together into chunks of several records.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "pipeline/routing/route.hpp"
#include "plan/memory_needs.hpp"

namespace tailrace::pipeline::routing {

// Throws Error(configuration) if the chunks of large records that one server holds, open until their last
// record and once more on their way to the disk, are more than its memory; else returns what they are.
// `routes`: by number of the stream.
plan::MemoryNeed check_open_chunks(const Blueprint& blueprint, std::span<const Route> routes,
                                   const sinks::Owners& owners, int server);

}  // namespace tailrace::pipeline::routing
