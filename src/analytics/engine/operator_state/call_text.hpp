// How a call reads, whatever other diagnostics there are: by this a memory is found again after a restart.
#pragma once

#include <string>

#include "analytics/graph.hpp"

namespace tailrace::analytics::engine::memories {

// As text_of(graph, node), but arguments that commute come in the order of their texts, not of their numbers,
// and what is long ends with a digest of the rest. Other calls have other texts, but for a chance of 2^-64.
std::string call_text(const Graph& graph, int node);

}  // namespace tailrace::analytics::engine::memories
