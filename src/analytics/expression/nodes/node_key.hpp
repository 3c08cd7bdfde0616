// What tells one node from another, as a key for maps: the same key, the same numbers.
#pragma once

#include <string>

#include "analytics/graph.hpp"

namespace tailrace::analytics::expression::nodes {

std::string key_of(const Node& node);

}  // namespace tailrace::analytics::expression::nodes
