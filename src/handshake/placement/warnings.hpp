// Placements of servers that work and cost more than they need to.
#pragma once

#include <string>
#include <vector>

#include "handshake/assignment.hpp"

namespace tailrace::handshake {

// What to tell about dedicated servers: far from their clients, on a core that a model rank needs too, or
// not placed as was asked for. Pure.
std::vector<std::string> placement_warnings(const Assignment& assignment,
                                            const std::vector<Participant>& participants,
                                            const settings::ServersOptions& options);

}  // namespace tailrace::handshake
