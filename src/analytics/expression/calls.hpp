// Resolves a call in an expression to an operator, built in or of the configuration, or a rewrite.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/resolver.hpp"

namespace tailrace::analytics::expression {

struct Rewrite;
struct RewriteCall;

// The call at one phrase. Rewrites are looked up first: `sum` is an operator, but with weights a rewrite that
// uses this operator.
class Calls {
 public:
  Calls(Resolver& resolver, const syntax::Phrase& here)
      : resolver_(resolver), here_(here), builder_(resolver.builder()), around_(resolver.around()) {}

  std::optional<nodes::Value> resolve();  // none after an error, which has been reported

 private:
  std::optional<nodes::Value> elementwise(Opcode opcode);
  std::optional<nodes::Value> rewritten(const Rewrite& rewrite);
  std::optional<nodes::Value> applied(const Operator& op);
  bool refuse_missing(const Operator& op, const std::vector<nodes::Value>& arrays);
  std::optional<RewriteCall> read_call(const Rewrite& rewrite);
  nodes::Value write(const Rewrite& rewrite, const RewriteCall& call);
  // Appends this call and its dims to the reductions of the result.
  void tell_reduced(nodes::Value& result, const std::vector<nodes::Value>& arrays,
                    std::vector<std::string> dims);
  void complete_dims(RewriteCall& call) const;
  void look_at_weights(const Rewrite& rewrite, RewriteCall& call);
  std::optional<nodes::Value> areas_along(const std::string& dim, const RewriteCall& call);
  void unknown_function();

  Resolver& resolver_;
  const syntax::Phrase& here_;
  nodes::Builder& builder_;
  EvaluationScope& around_;
};

std::vector<std::string> function_names();  // everything that can be called, sorted

}  // namespace tailrace::analytics::expression
