#include "dialects/monc/rules/equation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "config/scalars.hpp"

namespace tailrace::dialects::monc {
namespace {

using Kind = EquationTree::Kind;

constexpr std::size_t most_tokens = 1000;
constexpr int deepest = 100;  // parentheses and signs
constexpr std::string_view marks = "+-*/%()";

struct Token {
  Kind kind = Kind::name;  // binary: an operator or parenthesis
  Word word;
  char mark() const { return kind == Kind::binary ? word.text.front() : '\0'; }
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  Lexer(const Word& equation, Warnings& warnings) : equation_(equation), warnings_(warnings) {}

  std::vector<Token> tokens() {
    std::vector<Token> tokens;
    const std::string& text = equation_.text;
    for (std::size_t i = 0; i < text.size() && tokens.size() <= most_tokens;) {
      if (std::isspace(static_cast<unsigned char>(text[i])) != 0) {
        ++i;
      } else if (marks.find(text[i]) != std::string_view::npos) {
        tokens.push_back(token(Kind::binary, i, i + 1));
        ++i;
      } else {
        tokens.push_back(operand(i));
        i = end_;
      }
    }
    return tokens;
  }

 private:
  Token token(Kind kind, std::size_t from, std::size_t to) const {
    Location where = equation_.location;
    where.column += static_cast<int>(from);
    return {kind, {equation_.text.substr(from, to - from), where}};
  }

  Token operand(std::size_t from) {
    const std::string_view text = equation_.text;
    if (text[from] == '{') {
      end_ = text.find('}', from);
      if (end_ != std::string_view::npos && ++end_ - from > 2) {
        Token option = token(Kind::option, from, end_);
        option.word.text = option.word.text.substr(1, option.word.text.size() - 2);
        return option;
      }
    }
    end_ = std::min(text.find_first_of("+-*/%(){} \t", from + 1), text.size());
    take_exponent(from);
    const bool number = config::parse_real(text.substr(from, end_ - from)) && text[from] != '-';
    return token(number ? Kind::number : Kind::name, from, end_);
  }

  // 1e-3: for MONC the number 1e, minus 3.
  void take_exponent(std::size_t from) {
    const std::string_view text = equation_.text;
    const std::string_view word = text.substr(from, end_ - from);
    const bool starts = (word.ends_with('e') || word.ends_with('E')) && word.size() > 1 &&
                        config::parse_real(word.substr(0, word.size() - 1));
    if (!starts || end_ + 1 >= text.size() || (text[end_] != '-' && text[end_] != '+') ||
        !is_digit(text[end_ + 1]))
      return;
    for (++end_; end_ < text.size() && is_digit(text[end_]);) ++end_;
    warnings_.add(equation_.location,
                  "MONC reads the sign of an exponent as an operator; Tailrace reads the whole number");
  }

  const Word& equation_;
  Warnings& warnings_;
  std::size_t end_ = 0;
};

int usual_strength(char mark) { return mark == '+' || mark == '-' ? 1 : 2; }

int monc_strength(char mark) {
  constexpr std::string_view weakest_first = "-+*";
  const std::size_t found = weakest_first.find(mark);
  return found == std::string_view::npos ? 4 : static_cast<int>(found) + 1;
}

class Parser {
 public:
  Parser(const std::vector<Token>& tokens, int (*strength)(char)) : tokens_(tokens), strength_(strength) {}

  // Nothing, and `wrong()`, where the tokens make no equation.
  std::optional<EquationTree> parse() {
    auto tree = expression(1, 0);
    if (tree && next_ < tokens_.size()) return fail("expected an operator here");
    return tree;
  }

  const std::string& wrong() const { return wrong_; }
  std::size_t place() const { return next_; }

 private:
  std::nullopt_t fail(const char* what) {
    if (wrong_.empty()) wrong_ = what;
    return std::nullopt;
  }

  char mark() const { return next_ < tokens_.size() ? tokens_[next_].mark() : '\0'; }

  std::optional<EquationTree> expression(int least, int depth) {
    auto left = operand(depth);
    while (left && mark() != '\0' && mark() != '(' && mark() != ')' && strength_(mark()) >= least) {
      EquationTree both{Kind::binary, tokens_[next_].word, {}};
      const int strength = strength_(mark());
      ++next_;
      auto right = expression(strength + 1, depth);
      if (!right) return right;
      both.parts.push_back(std::move(*left));
      both.parts.push_back(std::move(*right));
      left = std::move(both);
    }
    return left;
  }

  std::optional<EquationTree> operand(int depth) {
    if (depth > deepest) return fail("is nested too deeply");
    if (next_ >= tokens_.size()) return fail("ends where a name or number is expected");
    const Token& token = tokens_[next_];
    if (token.kind != Kind::binary) {
      ++next_;
      return EquationTree{token.kind, token.word, {}};
    }
    if (token.mark() == '-') {
      ++next_;
      auto inner = operand(depth + 1);
      if (!inner) return inner;
      return EquationTree{Kind::negative, token.word, {std::move(*inner)}};
    }
    if (token.mark() != '(') return fail("expected a name, a number, {option} or a parenthesis here");
    ++next_;
    auto inner = expression(1, depth + 1);
    if (inner && mark() != ')') return fail("expected `)` here");
    ++next_;
    return inner;
  }

  const std::vector<Token>& tokens_;
  int (*strength_)(char);
  std::size_t next_ = 0;
  std::string wrong_;
};

bool is_binary(const EquationTree& tree, std::string_view operators) {
  return tree.kind == Kind::binary && operators.find(tree.word.text) != std::string_view::npos;
}

std::string canonical(const EquationTree& tree);

// The terms of a sum or the factors of a product, each with the sign it has in the end.
void collect(const EquationTree& tree, std::string_view operators, bool inverse,
             std::vector<std::string>& found) {
  if (!is_binary(tree, operators)) {
    found.push_back(fmt::format("{}{}", inverse ? '-' : '+', canonical(tree)));
    return;
  }
  const bool turns = tree.word.text == "-" || tree.word.text == "/";
  collect(tree.parts[0], operators, inverse, found);
  collect(tree.parts[1], operators, inverse != turns, found);
}

// Equal for trees that mean the same but for rounding.
std::string canonical(const EquationTree& tree) {
  if (tree.kind == Kind::option) return fmt::format("{{{}}}", tree.word.text);
  if (tree.kind == Kind::negative) return fmt::format("neg({})", canonical(tree.parts[0]));
  if (tree.kind != Kind::binary) return tree.word.text;
  if (tree.word.text == "%")
    return fmt::format("mod({},{})", canonical(tree.parts[0]), canonical(tree.parts[1]));
  const std::string_view operators = is_binary(tree, "+-") ? "+-" : "*/";
  std::vector<std::string> found;
  collect(tree, operators, false, found);
  std::sort(found.begin(), found.end());
  std::string text(operators.substr(0, 1));
  for (const std::string& part : found) text += fmt::format("({})", part);
  return text;
}

}  // namespace

Equation parse_equation(const Word& text, Problems& problems, Warnings& warnings) {
  const std::vector<Token> tokens = Lexer(text, warnings).tokens();
  if (tokens.size() > most_tokens) {
    problems.add(text.location, "", fmt::format("this equation has more than {} parts", most_tokens));
    return {};
  }
  Parser usual(tokens, usual_strength);
  auto tree = usual.parse();
  if (!tree) {
    const Location where =
        usual.place() < tokens.size() ? tokens[usual.place()].word.location : text.location;
    problems.add(where, "", fmt::format("the equation \"{}\": {}", text.text, usual.wrong()));
    return {};
  }
  auto monc = Parser(tokens, monc_strength).parse();
  Equation equation{std::move(*tree), std::move(*monc), false};
  equation.differ = canonical(equation.usual) != canonical(equation.monc);
  return equation;
}

std::string text_of(const EquationTree& tree) {
  if (tree.kind == Kind::option) return fmt::format("{{{}}}", tree.word.text);
  if (tree.kind == Kind::negative) return fmt::format("-{}", text_of(tree.parts[0]));
  if (tree.kind != Kind::binary) return tree.word.text;
  const auto side = [](const EquationTree& part) {
    return part.kind == Kind::binary ? fmt::format("({})", text_of(part)) : text_of(part);
  };
  return side(tree.parts[0]) + tree.word.text + side(tree.parts[1]);
}

}  // namespace tailrace::dialects::monc
