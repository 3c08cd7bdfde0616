// From the tree of one expression to nodes of the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/evaluation_scope.hpp"
#include "analytics/expression/nodes/builder.hpp"
#include "analytics/expression/syntax/ast.hpp"

namespace tailrace::analytics::expression {

// Names, signs and numbers; what is called is left to Calls, which comes back here for its arguments. One for
// each expression. A mistake is told to the surroundings where it is found and from then on is a missing
// value, so that one expression may have several mistakes and each is told once: values are optional
// everywhere, and nothing is thrown past resolve().
class Resolver {
 public:
  // All must live longer.
  Resolver(const syntax::Ast& ast, nodes::Builder& builder, EvaluationScope& surroundings)
      : ast_(ast), builder_(builder), around_(surroundings) {}

  // None where something is wrong; it has then been told.
  std::optional<nodes::Value> resolve() { return resolve(ast_.root); }
  std::optional<nodes::Value> resolve(int number);  // a phrase

  // For Calls.
  std::optional<nodes::Value> elementwise(const syntax::Phrase& here, Opcode opcode,
                                          std::vector<std::optional<nodes::Value>> values);
  void complain(const syntax::Phrase& here, const CallProblem& problem);  // tells it at the word it is about
  const syntax::Phrase& phrase(int number) const { return ast_.phrases[static_cast<std::size_t>(number)]; }
  nodes::Builder& builder() { return builder_; }
  EvaluationScope& around() { return around_; }

 private:
  std::optional<nodes::Value> resolve_here(const syntax::Phrase& here);
  std::optional<nodes::Value> name(const syntax::Phrase& here);
  std::optional<nodes::Value> binary(const syntax::Phrase& here);

  const syntax::Ast& ast_;
  nodes::Builder& builder_;
  EvaluationScope& around_;
};

// nan, inf and pi, where no field has the name.
std::optional<double> constant_named(const std::string& name);

}  // namespace tailrace::analytics::expression
