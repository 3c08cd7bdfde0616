// The syntax tree of an expression: phrases, each with its place in bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analytics/opcodes.hpp"

namespace tailrace::analytics::expression::syntax {

enum class PhraseKind {
  number,
  name,
  option,
  text,
  list,    // [a, b]: only as the value of a keyword
  unary,   // children: one
  binary,  // children: two
  call,    // children: the positional arguments
};

struct Keyword {
  std::string name;
  std::size_t at = 0;
  int value = -1;  // a phrase
};

struct Phrase {
  PhraseKind kind = PhraseKind::number;
  double number = 0.0;
  std::string text;               // of a name, option or text, or the name of a called function
  Opcode opcode = Opcode::add;    // for unary and binary
  std::vector<int> children;      // earlier phrases
  std::vector<Keyword> keywords;  // for a call
  std::size_t begin = 0;          // first byte, without enclosing parentheses
  std::size_t end = 0;            // after the last byte
  std::size_t word = 0;  // where errors are reported: the sign of unary and binary, otherwise `begin`
};

struct Ast {
  std::vector<Phrase> phrases;  // each after its children
  int root = -1;
};

}  // namespace tailrace::analytics::expression::syntax
