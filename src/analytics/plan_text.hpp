// Describes for the user what a graph costs and where it is computed.
#pragma once

#include <string>

#include "analytics/placement.hpp"

namespace tailrace::analytics {

// Every node with its shape, place, cost and users, then the work in each phase of a step at which all
// diagnostics are due.
std::string plan_text(const Graph& graph, const Placement& placement);
// The same graph for Graphviz's dot: one column for each phase, the diagnostics at the end.
std::string plan_graph(const Graph& graph, const Placement& placement);

}  // namespace tailrace::analytics
