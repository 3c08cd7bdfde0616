#include "analytics/expression/syntax/lexer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace tailrace::analytics::expression::syntax {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Longer signs first.
constexpr std::array<std::string_view, 19> signs{"**", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*",
                                                 "/",  "%",  "^",  "(",  ")",  "[", "]", ",", "="};

struct Mistaken {
  std::string_view sign;
  std::string_view advice;
};
constexpr std::array<Mistaken, 10> mistaken_signs{{{"&&", "write \"and\""},
                                                   {"||", "write \"or\""},
                                                   {"&", "write \"and\""},
                                                   {"|", "write \"or\""},
                                                   {"!", "write \"not\""},
                                                   {"}", "an option is written {name}"},
                                                   {"?", "write where(condition, a, b)"},
                                                   {":", "use select or slice for a part of an array"},
                                                   {";", "a diagnostic is one expression"},
                                                   {"$", "an option is written {name}"}}};

// One character as it is shown in a message; complete if it is UTF-8.
std::string character_at(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && end < at + 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x20 || first == 0x7F || (first >= 0x80 && (first < 0xC2 || end == at + 1)))
    return fmt::format("the byte 0x{:02x}", first);
  return fmt::format("\"{}\"", text.substr(at, end - at));
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> read() {
    std::vector<Token> tokens;
    while (skip_blanks(), at_ < text_.size()) tokens.push_back(next());
    tokens.push_back({TokenKind::end, "", 0.0, at_, at_});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }
  Token made(TokenKind kind, std::size_t begin) const {
    return {.kind = kind, .text = text_.substr(begin, at_ - begin), .begin = begin, .end = at_};
  }

  Token next() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return name();
    if (c == '{') return option();
    if (c == '"' || c == '\'') return quoted();
    return sign();
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  Token number() {
    const std::size_t begin = at_;
    skip_digits();
    if (peek() == '.') ++at_;
    skip_digits();
    const bool signed_exponent = (peek(1) == '+' || peek(1) == '-') && is_digit(peek(2));
    if ((peek() == 'e' || peek() == 'E') && (is_digit(peek(1)) || signed_exponent)) {
      at_ += 2;
      skip_digits();
    }
    Token token = made(TokenKind::number, begin);
    if (is_letter(peek()) || peek() == '.')
      throw Mistake(
          at_,
          fmt::format("{} directly follows the number {}; a product needs a *, and names begin with a letter",
                      character_at(text_, at_), token.text));
    const char* const last = token.text.data() + token.text.size();
    const auto parsed = std::from_chars(token.text.data(), last, token.number);
    if (parsed.ec != std::errc() || parsed.ptr != last)
      throw Mistake(begin, fmt::format("the number {} is outside the range of float64", token.text));
    return token;
  }

  Token name() {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek()) || (peek() == '.' && is_letter(peek(1)))) ++at_;
    return made(TokenKind::name, begin);
  }

  Token option() {
    const std::size_t begin = at_++;
    skip_blanks();
    const std::size_t first = at_;
    if (is_letter(peek()))
      while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string_view name = text_.substr(first, at_ - first);
    skip_blanks();
    if (name.empty() || peek() != '}')
      throw Mistake(begin, "an option is written {name}, with letters, digits and underscores only");
    ++at_;
    return {.kind = TokenKind::option, .text = name, .begin = begin, .end = at_};
  }

  Token quoted() {
    const std::size_t begin = at_++;
    const std::size_t end = text_.find(text_[begin], at_);
    if (end == std::string_view::npos)
      throw Mistake(begin, fmt::format("the text that begins here has no closing {}", text_[begin]));
    const std::string_view inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return {.kind = TokenKind::text, .text = inside, .begin = begin, .end = at_};
  }

  Token sign() {
    const std::size_t begin = at_;
    const std::string_view rest = text_.substr(begin);
    for (const std::string_view known : signs) {
      if (!rest.starts_with(known)) continue;
      at_ += known.size();
      return made(TokenKind::sign, begin);
    }
    for (const auto& [mistaken, advice] : mistaken_signs)
      if (rest.starts_with(mistaken))
        throw Mistake(begin, fmt::format("\"{}\" has no meaning in an expression: {}", mistaken, advice));
    throw Mistake(begin, fmt::format("{} has no meaning in an expression", character_at(text_, begin)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> read_tokens(std::string_view text) { return Lexer(text).read(); }

}  // namespace tailrace::analytics::expression::syntax
