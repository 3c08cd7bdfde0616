#include "analytics/expression/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "analytics/expression/calls.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::expression {

using nodes::Value;
using syntax::Keyword;
using syntax::Phrase;
using syntax::PhraseKind;

std::optional<double> constant_named(const std::string& name) {
  if (name == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return std::numeric_limits<double>::infinity();
  if (name == "pi") return std::numbers::pi;
  return std::nullopt;
}

std::optional<Value> Resolver::resolve(int number) {
  const Phrase& here = phrase(number);
  if (!around_.deeper()) {
    around_.problem(
        here.word, "diagnostics that use each other are nested too deep here, or use each other in a circle");
    around_.higher();
    return std::nullopt;
  }
  const auto value = resolve_here(here);
  around_.higher();
  return value;
}

std::optional<Value> Resolver::resolve_here(const Phrase& here) {
  switch (here.kind) {
    case PhraseKind::number: return builder_.number(here.number);
    case PhraseKind::name: return name(here);
    case PhraseKind::option: return around_.option(here.text, here.begin);
    case PhraseKind::unary: return elementwise(here, here.opcode, {resolve(here.children[0])});
    case PhraseKind::binary: return binary(here);
    case PhraseKind::call: return Calls(*this, here).resolve();
    case PhraseKind::text:
      around_.problem(here.begin, "a text in quotes is allowed only after the = of a named argument");
      return std::nullopt;
    case PhraseKind::list: break;
  }
  around_.problem(here.begin, "this operator does not take a list of expressions");
  return std::nullopt;
}

std::optional<Value> Resolver::name(const Phrase& here) {
  if (!around_.is_name(here.text))
    if (const auto known = constant_named(here.text)) return builder_.number(*known);
  return around_.named(here.text, here.begin);
}

// a + b + c is a left-leaning tree as deep as the chain is long, so it is traversed without recursion.
std::optional<Value> Resolver::binary(const Phrase& here) {
  std::vector<const Phrase*> chain{&here};
  while (phrase(chain.back()->children[0]).kind == PhraseKind::binary)
    chain.push_back(&phrase(chain.back()->children[0]));
  std::optional<Value> left = resolve(chain.back()->children[0]);
  for (; !chain.empty(); chain.pop_back()) {
    const Phrase& operation = *chain.back();
    left = elementwise(operation, operation.opcode, {left, resolve(operation.children[1])});
  }
  return left;
}

std::optional<Value> Resolver::elementwise(const Phrase& here, Opcode opcode,
                                           std::vector<std::optional<Value>> values) {
  std::vector<Value> arguments;
  for (const auto& value : values) {
    if (!value) return std::nullopt;
    arguments.push_back(*value);
  }
  try {
    Value result = builder_.elementwise(opcode, std::move(arguments));
    result.reduced.clear();
    return result;
  } catch (const CallProblem& problem) {
    complain(here, problem);
    return std::nullopt;
  }
}

void Resolver::complain(const Phrase& here, const CallProblem& problem) {
  std::size_t at = here.word;
  const auto argument = base::index(problem.argument);
  if (problem.argument >= 0 && argument < here.children.size()) at = phrase(here.children[argument]).begin;
  if (problem.argument < 0)
    for (const Keyword& keyword : here.keywords)
      if (keyword.name == problem.parameter) at = keyword.at;
  std::string what = problem.what();
  while (!what.empty() && what.back() == '.') what.pop_back();
  around_.problem(at, what);
}

}  // namespace tailrace::analytics::expression
