// The warnings of a plan as the log gets them at each start.
#pragma once

#include <string>
#include <vector>

#include "config/sources.hpp"

namespace tailrace::handshake {

struct Told {
  std::vector<std::string> warnings;
  std::vector<std::string> details;  // for those who ask for them
};

// A file in the notation of another program was written for that program: several warnings about such files
// become one, which tells where the first of them is, and details. `warnings` about a place begin with it, as
// `file:line:column`.
Told told_at_start(const std::vector<std::string>& warnings, const config::Sources& sources);

}  // namespace tailrace::handshake
