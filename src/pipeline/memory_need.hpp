// What a component must hold on a server, whatever it waits for, against the memory that the server may use.
#pragma once

#include <cstddef>
#include <span>

#include "pipeline/blueprint.hpp"
#include "pipeline/routing/router.hpp"

namespace tailrace::pipeline {

// `clients`: of this server; `server`: its number. Makes the ways of the clients' blocks into chunks, as the
// first step would. Throws Error(configuration), with the figures, where the user gave a bound that does not
// suffice; where none was given, if the node has not what is needed with the bound for what moves, else that
// is a warning. Returns what has to come on top of the bound: 0, but there.
std::size_t check_memory(const Blueprint& blueprint, routing::Router& router, std::span<const int> clients,
                         int server);

}  // namespace tailrace::pipeline
