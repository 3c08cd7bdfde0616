#include "analytics/expression/syntax/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/index.hpp"

namespace tailrace::analytics::expression::syntax {

namespace {

// Operator precedence after V. R. Pratt, Top down operator precedence (1973).
enum Strength : int {
  nothing = 0,
  disjunction = 10,
  conjunction = 20,
  negation = 30,
  comparison = 40,
  sum = 50,
  product = 60,
  sign = 70,
  power = 80,
};

struct Infix {
  std::string_view word;
  Opcode opcode;
  Strength strength;
};

constexpr std::array<Infix, 15> infixes{{{"or", Opcode::logical_or, disjunction},
                                         {"and", Opcode::logical_and, conjunction},
                                         {"<", Opcode::lt, comparison},
                                         {"<=", Opcode::le, comparison},
                                         {">", Opcode::gt, comparison},
                                         {">=", Opcode::ge, comparison},
                                         {"==", Opcode::eq, comparison},
                                         {"!=", Opcode::ne, comparison},
                                         {"+", Opcode::add, sum},
                                         {"-", Opcode::sub, sum},
                                         {"*", Opcode::mul, product},
                                         {"/", Opcode::div, product},
                                         {"%", Opcode::mod, product},
                                         {"**", Opcode::pow, power},
                                         {"^", Opcode::pow, power}}};

std::optional<Infix> infix_of(const Token& token) {
  if (token.kind != TokenKind::sign && token.kind != TokenKind::name) return std::nullopt;
  const auto found = std::find_if(infixes.begin(), infixes.end(),
                                  [&](const Infix& infix) { return infix.word == token.text; });
  return found == infixes.end() ? std::nullopt : std::optional(*found);
}

bool is_reserved(const Token& token) {
  return token.is_word("and") || token.is_word("or") || token.is_word("not");
}

std::string shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::end: return "the end of the expression";
    case TokenKind::option: return fmt::format("{{{}}}", token.text);
    default: return fmt::format("\"{}\"", token.text);
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(read_tokens(text)) {}

  Ast read() {
    if (here().kind == TokenKind::end) throw Mistake(0, "the expression is empty");
    ast_.root = operation(nothing);
    if (here().kind != TokenKind::end) reject_what_follows();
    return std::move(ast_);
  }

 private:
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest_nesting)
        throw Mistake(parser_.here().begin,
                      fmt::format("the expression is nested deeper than {} levels here; "
                                  "give a part of it a name, as a diagnostic of its own",
                                  deepest_nesting));
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  const Token& here() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
  bool take(std::string_view sign_text) {
    if (!here().is(sign_text)) return false;
    ++at_;
    return true;
  }

  int add(Phrase phrase) {
    if (ast_.phrases.size() == most_phrases)
      throw Mistake(phrase.word,
                    fmt::format("the expression has more than {} names, numbers and operators up to here; "
                                "give a part of it a name, as a diagnostic of its own",
                                most_phrases));
    ast_.phrases.push_back(std::move(phrase));
    return static_cast<int>(ast_.phrases.size()) - 1;
  }
  const Phrase& phrase(int number) const { return ast_.phrases[base::index(number)]; }

  // A chain such as a + b + c needs no depth: only the right operand is read by a nested call.
  int operation(int weakest) {
    const Deeper deeper(*this);
    int left = operand(weakest);
    bool compared = false;
    while (const auto infix = infix_of(here())) {
      if (infix->strength <= weakest) break;
      if (infix->strength == comparison && compared)
        throw Mistake(here().begin, "comparisons cannot be chained; write a < b and b < c");
      compared = infix->strength == comparison;
      const Token word = take();
      // Powers are right-associative: an operator of the same strength is accepted.
      const int right = operation(infix->strength == power ? power - 1 : infix->strength);
      Phrase made{PhraseKind::binary, 0.0, "", infix->opcode, {left, right}, {}, 0, 0, word.begin};
      made.begin = phrase(left).begin;
      made.end = last_end_;
      left = add(std::move(made));
    }
    return left;
  }

  int operand(int weakest) {
    const Token token = here();
    if (token.is("-") || token.is("+")) return signed_operand(take());
    if (token.is_word("not")) {
      if (weakest >= negation)
        throw Mistake(token.begin,
                      "\"not\" has a lower precedence than the operator before it; put it in parentheses");
      return prefixed(take(), Opcode::logical_not, negation - 1);
    }
    return primary();
  }

  int signed_operand(const Token& token) {
    if (token.is("-")) return prefixed(token, Opcode::neg, sign);
    return operation(sign);
  }

  int prefixed(const Token& token, Opcode opcode, int strength) {
    const int inner = operation(strength);
    return add({PhraseKind::unary, 0.0, "", opcode, {inner}, {}, token.begin, last_end_, token.begin});
  }

  int primary() {
    const Token token = here();
    if (token.is("(")) return parenthesis(take());
    if (token.kind == TokenKind::sign || token.kind == TokenKind::end || is_reserved(token))
      throw Mistake(token.begin, fmt::format("a number, a name, {{option}} or \"(\" is expected here, not {}",
                                             shown(token)));
    take();
    last_end_ = token.end;
    Phrase made{PhraseKind::number, token.number, std::string(token.text), Opcode::add, {}, {}, token.begin,
                token.end,          token.begin};
    switch (token.kind) {
      case TokenKind::option: made.kind = PhraseKind::option; break;
      case TokenKind::text: made.kind = PhraseKind::text; break;
      case TokenKind::name:
        made.kind = PhraseKind::name;
        if (here().is("(")) return call(std::move(made));
        break;
      default: break;
    }
    return add(std::move(made));
  }

  int parenthesis(const Token& open) {
    const int inner = operation(nothing);
    close(")", open);
    return inner;
  }

  void close(std::string_view sign_text, const Token& open) {
    const Token token = here();
    if (!token.is(sign_text))
      throw Mistake(token.begin, fmt::format("an operator or the \"{}\" of the \"{}\" in column {} of the "
                                             "expression is expected here, not {}",
                                             sign_text, open.text, open.begin + 1, shown(token)));
    take();
    last_end_ = token.end;
  }

  int call(Phrase made) {
    made.kind = PhraseKind::call;
    const Token open = take();
    if (!here().is(")")) {
      do argument(made);
      while (take(","));
    }
    const Token token = here();
    if (!token.is(")"))
      throw Mistake(token.begin, fmt::format("\",\" or the \")\" of the call of {} is expected here, not {}",
                                             made.text, shown(token)));
    close(")", open);
    made.end = last_end_;
    return add(std::move(made));
  }

  void argument(Phrase& made) {
    if (here().kind == TokenKind::name && ahead().is("=")) return keyword(made);
    if (!made.keywords.empty())
      throw Mistake(
          here().begin,
          fmt::format("arguments without a name come before those with one, but {}= comes before this",
                      made.keywords.back().name));
    made.children.push_back(operation(nothing));
  }

  void keyword(Phrase& made) {
    const Token name = take();
    take();
    if (std::any_of(made.keywords.begin(), made.keywords.end(),
                    [&](const Keyword& other) { return other.name == name.text; }))
      throw Mistake(name.begin, fmt::format("{}= is given twice", name.text));
    const int value = here().is("[") ? list() : operation(nothing);
    made.keywords.push_back({.name = std::string(name.text), .at = name.begin, .value = value});
  }

  int list() {
    const Token open = take();
    Phrase made{PhraseKind::list, 0.0, "", Opcode::add, {}, {}, open.begin, 0, open.begin};
    if (!here().is("]")) {
      do made.children.push_back(operation(nothing));
      while (take(","));
    }
    if (!here().is("]"))
      throw Mistake(here().begin,
                    fmt::format("\",\" or the \"]\" of the list is expected here, not {}", shown(here())));
    close("]", open);
    made.end = last_end_;
    return add(std::move(made));
  }

  [[noreturn]] void reject_what_follows() {
    const Token token = here();
    if (token.is(")")) throw Mistake(token.begin, "this \")\" closes nothing");
    if (token.is("="))
      throw Mistake(token.begin,
                    "\"=\" is allowed only after the name of an argument; equality is written ==");
    throw Mistake(token.begin, fmt::format("an operator is expected here, not {}", shown(token)));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;  // end of the last token read
  int depth_ = 0;
  Ast ast_;
};

}  // namespace

Ast parse(std::string_view text) { return Parser(text).read(); }

}  // namespace tailrace::analytics::expression::syntax
