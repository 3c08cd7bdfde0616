// The state of each diagnostic during compilation, and the final result: the graph with only the needed
// nodes, and the warnings.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "analytics/expression/nodes/builder.hpp"
#include "analytics/expression/syntax/ast.hpp"

namespace tailrace::analytics::expression {

enum class State { waiting, running, done, failed, left_out };

// One diagnostic during compilation.
struct Entry {
  const DiagnosticSource* source = nullptr;
  std::optional<syntax::Ast> ast;
  State state = State::waiting;
  nodes::Value value;
  std::string units;
  std::set<std::string> without_units;   // names in it whose units are unknown
  std::set<std::string> absent;          // fields in it that the model lacks
  std::vector<std::string> plain_means;  // warnings about unweighted means over cells of different areas
};

using OddUnits = std::map<std::string, std::vector<std::string>>;  // units that UDUNITS does not know, with
                                                                   // the names that have them

// The nodes that some diagnostic needs, in their order. Nodes of expressions that ended with an error or an
// absent field are dropped.
Graph collect(const std::vector<Node>& nodes, const std::vector<Entry>& entries);

void warn(const std::vector<Entry>& entries, const OddUnits& odd_units, Compiled& compiled);

}  // namespace tailrace::analytics::expression
