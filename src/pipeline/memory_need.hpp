// Compares the memory that a component must hold on a server at all times with the memory that the server may
// use.
#pragma once

#include <cstddef>
#include <span>

#include "pipeline/blueprint.hpp"
#include "pipeline/routing/router.hpp"

namespace tailrace::pipeline {

// `clients`: those of this server; `server`: its number. Computes the geometry of the clients' blocks in
// advance, as the first step would. If the user gave `memory` and it is too small, throws
// Error(configuration) with the figures. If not, throws only if the node has less memory than needed plus the
// default bound, and otherwise logs a warning. Returns the bytes needed in addition to the bound: 0, except
// after that warning.
std::size_t check_memory(const Blueprint& blueprint, routing::Router& router, std::span<const int> clients,
                         int server);

}  // namespace tailrace::pipeline
