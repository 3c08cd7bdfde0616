// The size of a rank's buffer if the configuration does not set it.
#pragma once

#include <cstddef>
#include <vector>

#include "client/declarer.hpp"

namespace tailrace::client {

// Returns space for several steps in which this rank puts all fields that are used, but at most `at_most`
// bytes. `used`: by field, whether any file needs it.
std::size_t suitable_buffer(const Declarer& declarer, const std::vector<bool>& used, std::size_t at_most);

}  // namespace tailrace::client
