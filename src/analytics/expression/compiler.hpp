// All diagnostics of a component together: which uses which, what is left out, what is warned of.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "analytics/expression/nodes/builder.hpp"
#include "analytics/expression/outcome.hpp"

namespace tailrace::analytics::expression {

// Lives for one compile(). A diagnostic may use others in any order, so each is resolved after those that it
// names; that order is found without recursion, since chains of diagnostics may be long. What is still
// waiting when its name comes up is part of a circle: it is resolved then and there, and the depth, which
// counts over all expressions that wait for each other, makes of any circle a problem and not a stack
// overflow.
class Compiler {
 public:
  Compiler(const std::vector<DiagnosticSource>& sources, const Scope& scope, config::Problems& problems);
  Compiled compile();

 private:
  friend class AroundDiagnostic;

  void index_names();
  void parse_all();
  std::vector<std::size_t> order() const;  // what is used before what uses it, as far as can be seen
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
  std::vector<std::size_t> running_;  // the innermost last
  int depth_ = 0;
  OddUnits odd_units_;
};

// The place of a byte of an expression. Lines of a text of several are taken to begin in the same column.
config::Location place_of(const DiagnosticSource& source, std::size_t at);

}  // namespace tailrace::analytics::expression
