// The key of a node for maps: nodes with equal keys have equal numbers.
#pragma once

#include <string>

#include "analytics/graph.hpp"

namespace tailrace::analytics::expression::nodes {

std::string key_of(const Node& node);

}  // namespace tailrace::analytics::expression::nodes
