// Warnings about placements of servers that are valid but inefficient.
#pragma once

#include <string>
#include <vector>

#include "handshake/assignment.hpp"

namespace tailrace::handshake {

// Warnings about dedicated servers that are on other nodes than their clients, share a core with a model
// rank, or could not be placed as requested. Pure.
std::vector<std::string> placement_warnings(const Assignment& assignment,
                                            const std::vector<Participant>& participants,
                                            const settings::ServersOptions& options);

}  // namespace tailrace::handshake
