// Compiles all diagnostics of a component: their dependences, which are left out, and warnings.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "analytics/expression/nodes/builder.hpp"
#include "analytics/expression/outcome.hpp"

namespace tailrace::analytics::expression {

// Exists for one compile(). A diagnostic may use others in any order, so each is resolved after those that it
// names. That order is determined without recursion, since chains of diagnostics may be long. A diagnostic
// that is still unresolved when its name is used is part of a cycle. It is resolved at that point, and the
// limit of depth, which counts over all nested expressions, turns a cycle into an error and not a stack
// overflow.
class Compiler {
 public:
  Compiler(const std::vector<DiagnosticSource>& sources, const Scope& scope, config::Problems& problems);
  Compiled compile();

 private:
  friend class AroundDiagnostic;

  void index_names();
  void parse_all();
  std::vector<std::size_t> order() const;  // topological order, as far as there is one
  std::vector<std::size_t> used_by(const Entry& entry) const;
  void resolve(std::size_t number);
  void finish(Entry& entry);
  void take_units(Entry& entry);

  void problem(const Entry& entry, std::size_t at, const std::string& what);
  std::string unknown_name(const std::string& name) const;

  const Scope& scope_;
  config::Problems& problems_;
  nodes::Builder builder_;
  std::vector<Entry> entries_;
  std::map<std::string, int> inputs_;
  std::map<std::string, std::size_t> diagnostics_;
  std::set<std::string> dims_;
  std::vector<std::size_t> running_;  // nested, the innermost last
  int depth_ = 0;
  OddUnits odd_units_;
};

// The place of a byte of an expression. All lines of a multi-line text are assumed to begin in the same
// column.
config::Location place_of(const DiagnosticSource& source, std::size_t at);

}  // namespace tailrace::analytics::expression
