// The rule list of a diagnostic as one expression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialects/monc/names.hpp"
#include "dialects/monc/vocabulary.hpp"

namespace tailrace::dialects::monc {

struct CompiledRules {
  std::string text;
  Location location;                 // of the equation or field of the last rule
  bool optional = false;             // some field may be absent
  std::vector<const Field*> fields;  // what it is made from
};

// Nothing where there was a mistake, which then is a problem.
std::optional<CompiledRules> compile_rules(const Diagnostic& diagnostic, const Names& names,
                                           const Options& options, Problems& problems, Warnings& warnings);

}  // namespace tailrace::dialects::monc
