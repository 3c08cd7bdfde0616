#include "analytics/compile.hpp"

#include "analytics/expression/compiler.hpp"

namespace tailrace::analytics {

Compiled compile(const std::vector<DiagnosticSource>& sources, const Scope& scope,
                 config::Problems& problems) {
  return expression::Compiler(sources, scope, problems).compile();
}

}  // namespace tailrace::analytics
