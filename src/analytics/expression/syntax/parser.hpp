// Parses a text into a syntax tree. Operators by precedence, lowest first:
//
//   a or b
//   a and b
//   not a
//   a < b   a <= b   a > b   a >= b   a == b   a != b     not chained
//   a + b   a - b                                         left-associative
//   a * b   a / b   a % b                                 left-associative
//   -a   +a
//   a ** b   a ^ b                                        right-associative; b may have a sign: 2 ** -1
//   number   name   {option}   (a)   f(a, dim, key=value)
#pragma once

#include <string_view>

#include "analytics/expression/syntax/ast.hpp"
#include "analytics/expression/syntax/lexer.hpp"

namespace tailrace::analytics::expression::syntax {

// The limit for nested parentheses, calls, signs and powers.
inline constexpr int deepest_nesting = 200;

// The limit for names, numbers, operators and calls in an expression.
inline constexpr std::size_t most_phrases = 250000;

// Throws Mistake at the first error.
Ast parse(std::string_view text);

}  // namespace tailrace::analytics::expression::syntax
