// All diagnostics of a component together: which uses which, what is left out, what is warned of.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analytics/expression/ast.hpp"
#include "analytics/expression/builder.hpp"
#include "analytics/expression/compile.hpp"

namespace tailrace::analytics::expression {

class Compiler {
 public:
  Compiler(const std::vector<DiagnosticSource>& sources, const Scope& scope, config::Problems& problems);
  Compiled compile();

 private:
  friend class AroundDiagnostic;
  enum class State { waiting, running, done, failed, left_out };

  struct Entry {
    const DiagnosticSource* source = nullptr;
    std::optional<Ast> ast;
    State state = State::waiting;
    Value value;
    std::string units;
    std::set<std::string> without_units;  // names in it whose units are not known
    std::set<std::string> absent;         // fields in it that there are not
  };

  void index_names();
  void parse_all();
  std::vector<std::size_t> order() const;  // what is used before what uses it, as far as can be seen
  std::vector<std::size_t> used_by(const Entry& entry) const;
  void resolve(std::size_t number);
  void finish(Entry& entry);
  void take_units(Entry& entry);
  Graph collect() const;
  std::vector<std::string> warnings() const;

  void problem(const Entry& entry, std::size_t at, const std::string& what);
  std::string unknown_name(const std::string& name) const;

  const Scope& scope_;
  config::Problems& problems_;
  Builder builder_;
  std::vector<Entry> entries_;
  std::map<std::string, int> inputs_;
  std::map<std::string, std::size_t> diagnostics_;
  std::set<std::string> dims_;
  std::vector<std::size_t> running_;  // the innermost last
  int depth_ = 0;
  std::map<std::string, std::vector<std::string>>
      odd_units_;  // that UDUNITS does not know: who declares them
};

// The place of a byte of an expression. Lines of a text of several are taken to begin in the same column.
config::Location place_of(const DiagnosticSource& source, std::size_t at);

}  // namespace tailrace::analytics::expression
