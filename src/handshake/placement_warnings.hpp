// Placements of servers that work and cost more than they need to.
#pragma once

#include <string>
#include <vector>

#include "handshake/assignment.hpp"

namespace tailrace::handshake {

// What to tell about dedicated servers on several nodes. A pure function of what every rank knows; `nodes` by
// rank, as in Participant.
std::vector<std::string> placement_warnings(const Assignment& assignment, const std::vector<int>& nodes);

}  // namespace tailrace::handshake
