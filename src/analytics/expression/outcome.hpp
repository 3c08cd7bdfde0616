// What becomes of each diagnostic, and what comes out of all of them: the graph without what no diagnostic
// needs, and the warnings.
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

// One diagnostic on its way through the compiler.
struct Entry {
  const DiagnosticSource* source = nullptr;
  std::optional<syntax::Ast> ast;
  State state = State::waiting;
  nodes::Value value;
  std::string units;
  std::set<std::string> without_units;   // names in it whose units are not known
  std::set<std::string> absent;          // fields in it that there are not
  std::vector<std::string> plain_means;  // warnings of means over cells of different areas
};

using OddUnits = std::map<std::string, std::vector<std::string>>;  // that UDUNITS does not know: who has them

// Of the nodes those that some diagnostic needs, in their order: where a mistake or an absent field ended an
// expression half way, what was built of it is in nobody's way.
Graph collect(const std::vector<Node>& nodes, const std::vector<Entry>& entries);

void warn(const std::vector<Entry>& entries, const OddUnits& odd_units, Compiled& compiled);

}  // namespace tailrace::analytics::expression
