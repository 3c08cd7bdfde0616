// A text that identifies a call independently of the other diagnostics. A restart finds the saved state of
// the call by it.
#pragma once

#include <string>

#include "analytics/graph.hpp"

namespace tailrace::analytics::engine::operator_state {

// Like text_of(graph, node), but commuting arguments are sorted by their texts and not by node number, and a
// long text ends with a digest of the rest. Different calls have different texts, except with probability
// 2^-64.
std::string call_text(const Graph& graph, int node);

}  // namespace tailrace::analytics::engine::operator_state
