// MONC's `equation="..."`: + - * / %, parentheses, names, numbers and {options}.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dialects/monc/xml/tags.hpp"

namespace tailrace::dialects::monc {

struct EquationTree {
  enum class Kind { name, number, option, binary, negative };
  Kind kind = Kind::name;
  Word word;  // the leaf, an option without its braces; of `binary` the operator
  std::vector<EquationTree> parts;
};

struct Equation {
  EquationTree usual;   // by the usual precedence, equal ones from the left
  EquationTree monc;    // as MONC binds: - weaker than + weaker than * weaker than / and %
  bool differ = false;  // in value, beyond rounding
};

// A mistake becomes a problem, and the result is an empty tree.
Equation parse_equation(const Word& text, Problems& problems, Warnings& warnings);

// With all parentheses that are needed by the usual precedence, for messages.
std::string text_of(const EquationTree& tree);

}  // namespace tailrace::dialects::monc
