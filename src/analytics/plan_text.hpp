// What a graph costs and where it is computed, for people.
#pragma once

#include <string>

#include "analytics/placement.hpp"

namespace tailrace::analytics {

// Every node with its shape, its place, what it costs and who shares it, then what happens in each phase of a
// step at which all diagnostics are due.
std::string plan_text(const Graph& graph, const Placement& placement);
// The same graph for Graphviz's dot: a column of boxes a phase, the diagnostics at the end.
std::string plan_graph(const Graph& graph, const Placement& placement);

}  // namespace tailrace::analytics
