// How much memory a rank's buffer takes where the configuration does not say.
#pragma once

#include <cstddef>
#include <vector>

#include "client/declarer.hpp"

namespace tailrace::client {

// Room for several steps in which this rank puts all that is used, and never more than `at_most` bytes.
// `used`: by field, whether any file needs it.
std::size_t suitable_buffer(const Declarer& declarer, const std::vector<bool>& used, std::size_t at_most);

}  // namespace tailrace::client
