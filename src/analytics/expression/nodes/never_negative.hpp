// What is known of a value's sign before any number is.
#pragma once

#include <vector>

#include "analytics/graph.hpp"

namespace tailrace::analytics::expression::nodes {

// Whether each number of the node is NaN or at least 0; false where that is not known. `never_negative`: the
// same of the nodes before it.
bool is_never_negative(const std::vector<bool>& never_negative, const Node& made);

}  // namespace tailrace::analytics::expression::nodes
