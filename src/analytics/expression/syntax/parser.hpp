// From text to tree. Binding strength, weakest first:
//
//   a or b
//   a and b
//   not a
//   a < b   a <= b   a > b   a >= b   a == b   a != b     not chained
//   a + b   a - b                                         from the left
//   a * b   a / b   a % b                                 from the left
//   -a   +a
//   a ** b   a ^ b                                        from the right; b may carry a sign: 2 ** -1
//   number   name   {option}   (a)   f(a, dim, key=value)
#pragma once

#include <string_view>

#include "analytics/expression/syntax/ast.hpp"
#include "analytics/expression/syntax/lexer.hpp"

namespace tailrace::analytics::expression::syntax {

// How deep parentheses, calls, signs and powers may be nested.
inline constexpr int deepest_nesting = 200;

// How many names, numbers, operators and calls an expression may have.
inline constexpr std::size_t most_phrases = 250000;

// Throws Mistake at the first error.
Ast parse(std::string_view text);

}  // namespace tailrace::analytics::expression::syntax
