// Static analysis of the sign of a value.
#pragma once

#include <vector>

#include "analytics/graph.hpp"

namespace tailrace::analytics::expression::nodes {

// Whether each number of the node is NaN or at least 0; false if that is unknown. `never_negative`: the
// result for the nodes before it.
bool is_never_negative(const std::vector<bool>& never_negative, const Node& made);

}  // namespace tailrace::analytics::expression::nodes
