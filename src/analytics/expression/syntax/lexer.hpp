// The tokens of an expression, each with its place in bytes from the start of the text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::analytics::expression::syntax {

// An error in a text, and its byte.
struct Mistake : std::runtime_error {
  Mistake(std::size_t place, const std::string& what) : std::runtime_error(what), at(place) {}
  std::size_t at;
};

enum class TokenKind {
  number,
  name,    // theta, scalar.vwp, and, or, not
  option,  // {x_size}
  text,    // "linear"
  sign,    // + ( ** <= ...
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  // a sign, name or number as written; an option or text without its delimiters
  double number = 0.0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is(std::string_view sign) const { return kind == TokenKind::sign && text == sign; }
  bool is_word(std::string_view word) const { return kind == TokenKind::name && text == word; }
};

// All tokens, and an `end` after the last. The tokens refer to `text`. Throws Mistake.
std::vector<Token> read_tokens(std::string_view text);

}  // namespace tailrace::analytics::expression::syntax
