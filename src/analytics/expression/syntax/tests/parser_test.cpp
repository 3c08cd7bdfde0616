#include "analytics/expression/syntax/parser.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/index.hpp"

namespace tailrace::analytics::expression::syntax {
namespace {

// Writes a tree as (+ a (* b c)), with f[a, b, key=c] for calls and [a b] for lists.
std::string tree(const Ast& ast, int number) {
  const Phrase& here = ast.phrases.at(base::index(number));
  std::string children;
  for (const int child : here.children)
    children += fmt::format("{}{}", children.empty() ? "" : " ", tree(ast, child));
  switch (here.kind) {
    case PhraseKind::number: return fmt::format("{}", here.number);
    case PhraseKind::name: return here.text;
    case PhraseKind::option: return "{" + here.text + "}";
    case PhraseKind::text: return "'" + here.text + "'";
    case PhraseKind::list: return "[" + children + "]";
    case PhraseKind::unary:
    case PhraseKind::binary: return fmt::format("({} {})", traits_of(here.opcode).name, children);
    case PhraseKind::call: break;
  }
  for (const Keyword& keyword : here.keywords)
    children += fmt::format("{}{}={}", children.empty() ? "" : " ", keyword.name, tree(ast, keyword.value));
  return fmt::format("{}[{}]", here.text, children);
}

std::string tree(const std::string& text) {
  const Ast ast = parse(text);
  return tree(ast, ast.root);
}

// The mistake as "column message", with columns from 1.
std::string mistake(const std::string& text) {
  try {
    return "no mistake: " + tree(text);
  } catch (const Mistake& mistake) {
    return fmt::format("{} {}", mistake.at + 1, mistake.what());
  }
}

void expect_mistake(const std::string& text, const std::string& start) {
  EXPECT_TRUE(mistake(text).starts_with(start)) << text << "\n" << mistake(text);
}

TEST(Parser, ReadsSingleWords) {
  EXPECT_EQ(tree("th"), "th");
  EXPECT_EQ(tree(" scalar.vwp "), "scalar.vwp");
  EXPECT_EQ(tree("{x_size}"), "{x_size}");
  EXPECT_EQ(tree("{ x_size }"), "{x_size}");
  EXPECT_EQ(tree("((_a1))"), "_a1");
}

TEST(Parser, ReadsNumbers) {
  EXPECT_EQ(tree("30"), "30");
  EXPECT_EQ(tree("1.5e-3"), "0.0015");
  EXPECT_EQ(tree(".5"), "0.5");
  EXPECT_EQ(tree("5."), "5");
  EXPECT_EQ(tree("1E+2"), "100");
  EXPECT_EQ(tree("2.-1"), "(- 2 1)");
  expect_mistake("1e400", "1 the number 1e400 is outside");
  expect_mistake("3d", "2 \"d\" directly follows the number 3");
  expect_mistake("1.2.3", "4 \".\" directly follows the number 1.2");
  expect_mistake("2e", "2 \"e\" directly follows the number 2");
}

TEST(Parser, BindsAsUsual) {
  EXPECT_EQ(tree("a + b * c"), "(+ a (* b c))");
  EXPECT_EQ(tree("(a + b) * c"), "(* (+ a b) c)");
  EXPECT_EQ(tree("a - b + c - d"), "(- (+ (- a b) c) d)");
  EXPECT_EQ(tree("a / b * c % d"), "(% (* (/ a b) c) d)");
  EXPECT_EQ(tree("a and b or c and d"), "(or (and a b) (and c d))");
  EXPECT_EQ(tree("not a and b"), "(and (not a) b)");
  EXPECT_EQ(tree("not not a"), "(not (not a))");
  EXPECT_EQ(tree("not a == b"), "(not (== a b))");
  EXPECT_EQ(tree("a + 1 < b * 2"), "(< (+ a 1) (* b 2))");
  EXPECT_EQ(tree("a < b and b <= c"), "(and (< a b) (<= b c))");
  EXPECT_EQ(tree("a != b or c > d"), "(or (!= a b) (> c d))");
}

TEST(Parser, PowersBindFromTheRightAndTighterThanSigns) {
  EXPECT_EQ(tree("-a ** 2"), "(neg (** a 2))");
  EXPECT_EQ(tree("2 ** -1"), "(** 2 (neg 1))");
  EXPECT_EQ(tree("2 ** -a * b"), "(* (** 2 (neg a)) b)");
  EXPECT_EQ(tree("a ** b ^ c"), "(** a (** b c))");
  EXPECT_EQ(tree("-a * b"), "(* (neg a) b)");
  EXPECT_EQ(tree("a - -b"), "(- a (neg b))");
  EXPECT_EQ(tree("+a + +b"), "(+ a b)");
  EXPECT_EQ(tree("2 ** -3 ** 2"), "(** 2 (neg (** 3 2)))");
}

TEST(Parser, ReadsCalls) {
  EXPECT_EQ(tree("mean(th, y, x)"), "mean[th y x]");
  EXPECT_EQ(tree("f()"), "f[]");
  EXPECT_EQ(tree("f(a, q=0.9, by='x y', at=[1, -2], m=linear, w=a*b)"),
            "f[a q=0.9 by='x y' at=[1 (neg 2)] m=linear w=(* a b)]");
  EXPECT_EQ(tree("f(a, at=[])"), "f[a at=[]]");
  EXPECT_EQ(tree("my.op(a == b)"), "my.op[(== a b)]");
  EXPECT_EQ(tree("f(\"it's\")"), "f['it's']");
}

TEST(Parser, KnowsThePlaceOfEachPhrase) {
  const Ast ast = parse("  mean(a) + (b*c)");
  const Phrase& sum = ast.phrases.at(base::index(ast.root));
  EXPECT_EQ(sum.word, 10U);
  EXPECT_EQ(sum.begin, 2U);
  const Phrase& call = ast.phrases.at(base::index(sum.children[0]));
  EXPECT_EQ(call.begin, 2U);
  EXPECT_EQ(call.end, 9U);
  const Phrase& product = ast.phrases.at(base::index(sum.children[1]));
  EXPECT_EQ(product.begin, 13U);
  EXPECT_EQ(product.word, 14U);
}

TEST(Parser, ReportsMistakesWithTheirPlace) {
  expect_mistake("", "1 the expression is empty");
  expect_mistake("   ", "1 the expression is empty");
  expect_mistake("a b", "3 an operator is expected here, not \"b\"");
  expect_mistake("a +",
                 "4 a number, a name, {option} or \"(\" is expected here, not the end of the expression");
  expect_mistake("a + * b", "5 a number, a name, {option} or \"(\" is expected here, not \"*\"");
  expect_mistake("(a + b", "7 an operator or the \")\" of the \"(\" in column 1");
  expect_mistake("a + b)", "6 this \")\" closes nothing");
  expect_mistake("f(a b)", "5 \",\" or the \")\" of the call of f is expected here, not \"b\"");
  expect_mistake("f(a, at=[1 2])", "12 \",\" or the \"]\" of the list is expected here, not \"2\"");
  expect_mistake("f(q=1, a)", "8 arguments without a name come before those with one, but q= comes before");
  expect_mistake("f(a, q=1, q=2)", "11 q= is given twice");
  expect_mistake("a = b", "3 \"=\" is allowed only after the name of an argument; equality is written ==");
  expect_mistake("a < b < c", "7 comparisons cannot be chained; write a < b and b < c");
  expect_mistake("a == not b", "6 \"not\" has a lower precedence than the operator before it");
  expect_mistake("a and", "6 a number, a name");
  expect_mistake("and", "1 a number, a name");
  expect_mistake("[1, 2]", "1 a number, a name, {option} or \"(\" is expected here, not \"[\"");
  expect_mistake("f(,)", "3 a number, a name");
  expect_mistake("f(a,)", "5 a number, a name");
}

TEST(Parser, AdvisesOnSignsOfOtherLanguages) {
  expect_mistake("a && b", "3 \"&&\" has no meaning in an expression: write \"and\"");
  expect_mistake("a | b", "3 \"|\" has no meaning in an expression: write \"or\"");
  expect_mistake("!a", "1 \"!\" has no meaning in an expression: write \"not\"");
  expect_mistake("a ? b : c", "3 \"?\" has no meaning in an expression: write where(condition, a, b)");
  expect_mistake("a # b", "3 \"#\" has no meaning in an expression");
  expect_mistake("{2x}", "1 an option is written {name}");
  expect_mistake("{}", "1 an option is written {name}");
  expect_mistake("{a", "1 an option is written {name}");
  expect_mistake("f(a, by=\"x)", "9 the text that begins here has no closing \"");
}

TEST(Parser, ShowsOddBytesSafely) {
  expect_mistake("a \xC3\x97 b", "3 \"\xC3\x97\" has no meaning");
  expect_mistake(std::string("a\0b", 3), "2 the byte 0x00 has no meaning");
  expect_mistake("a \xFF", "3 the byte 0xff has no meaning");
  expect_mistake("a \x80", "3 the byte 0x80 has no meaning");
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Parser, DeepNestingIsAMistakeNotAnOverflow) {
  const int deep = 100000;
  for (const std::string open : {"(", "-", "not ", "f(", "a**", "f(a=", "+", "where(a,b,"})
    EXPECT_NE(mistake(repeated(open, deep) + "a").find("nested deeper than 200 levels"), std::string::npos)
        << open;
  EXPECT_EQ(tree(repeated("(", 150) + "a" + repeated(")", 150)), "a");
}

TEST(Parser, LongChainsAreNotNesting) {
  const Ast ast = parse(fmt::format("a{}", repeated(" + a", 100000)));
  EXPECT_EQ(ast.phrases.size(), 200001U);
}

TEST(Parser, LengthHasALimitToo) {
  const int terms = static_cast<int>(most_phrases) / 2;  // each term has a name and a sign
  EXPECT_EQ(parse("u" + repeated("+u", terms - 1)).phrases.size(), most_phrases - 1);
  EXPECT_EQ(mistake("u" + repeated("+u", terms)),
            "250000 the expression has more than 250000 names, numbers and operators up to here; give a part "
            "of it a "
            "name, as a diagnostic of its own");
}

}  // namespace
}  // namespace tailrace::analytics::expression::syntax
