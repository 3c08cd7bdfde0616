// Where a rank may run, in few numbers: each rank hears it of every other.
#pragma once

#include <vector>

namespace tailrace::handshake {

// Hardware threads, ascending, as the first of each run and the one behind it: {0, 1, 2, 5} is {0, 3, 5, 6}.
std::vector<int> to_ranges(const std::vector<int>& cpus);
std::vector<int> from_ranges(const std::vector<int>& ranges);

}  // namespace tailrace::handshake
