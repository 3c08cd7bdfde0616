// An expression as it was written: a tree of phrases, each with its place in bytes.
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
  std::string text;               // of a name, option, text, or the name of what is called
  Opcode opcode = Opcode::add;    // of unary and binary
  std::vector<int> children;      // earlier phrases
  std::vector<Keyword> keywords;  // of a call
  std::size_t begin = 0;          // first byte, without parentheses around it
  std::size_t end = 0;            // behind the last
  std::size_t word = 0;           // the sign of unary and binary, else as begin: where mistakes are shown
};

struct Ast {
  std::vector<Phrase> phrases;  // each after its children
  int root = -1;
};

}  // namespace tailrace::analytics::expression::syntax
