// Sets of hardware threads as ranges, which are short to send to all ranks of a node.
#pragma once

#include <vector>

namespace tailrace::handshake {

// Converts an ascending list to half-open ranges: {0, 1, 2, 5} to {0, 3, 5, 6}.
std::vector<int> to_ranges(const std::vector<int>& cpus);
std::vector<int> from_ranges(const std::vector<int>& ranges);

}  // namespace tailrace::handshake
