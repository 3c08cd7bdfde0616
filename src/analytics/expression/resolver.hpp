// Converts the tree of one expression to nodes of the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/evaluation_scope.hpp"
#include "analytics/expression/nodes/builder.hpp"
#include "analytics/expression/syntax/ast.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::expression {

// Resolves names, operators and numbers; Calls resolves calls and uses this class for their arguments. One
// object for each expression. An error is reported to the scope where it is found, and its value is then
// empty, so that several errors of one expression are each reported once. Therefore values are optional
// everywhere, and resolve() does not throw.
class Resolver {
 public:
  // All must outlive this object.
  Resolver(const syntax::Ast& ast, nodes::Builder& builder, EvaluationScope& surroundings)
      : ast_(ast), builder_(builder), around_(surroundings) {}

  // None after an error, which has been reported.
  std::optional<nodes::Value> resolve() { return resolve(ast_.root); }
  std::optional<nodes::Value> resolve(int number);  // a phrase

  // For Calls.
  std::optional<nodes::Value> elementwise(const syntax::Phrase& here, Opcode opcode,
                                          std::vector<std::optional<nodes::Value>> values);
  void complain(const syntax::Phrase& here, const CallProblem& problem);  // reports it at its word
  const syntax::Phrase& phrase(int number) const { return ast_.phrases[base::index(number)]; }
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

// nan, inf and pi, unless a field has the name.
std::optional<double> constant_named(const std::string& name);

}  // namespace tailrace::analytics::expression
