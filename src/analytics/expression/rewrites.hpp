// Functions of expressions that are composed of operators: means, variances, covariances, masks, units.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analytics/expression/nodes/builder.hpp"

namespace tailrace::analytics::expression {

// A call of a rewrite. The value of the keyword `weights` is an expression, that of others a number or word.
struct RewriteCall {
  std::vector<nodes::Value> arrays;
  std::vector<std::string>
      dims;  // dims of each array; not empty if the function takes dims and there are any
  std::optional<nodes::Value> weights = {};
  std::map<std::string, ParameterValue> parameters = {};
};

struct Rewrite {
  std::string name;
  std::size_t arrays = 1;
  bool takes_dims = true;
  std::vector<std::string> keywords;
  OperatorDoc doc;
  std::function<nodes::Value(nodes::Builder&, const RewriteCall&)> write;  // throws CallProblem
};

const std::vector<Rewrite>& rewrites();  // sorted by name

// Null if there is none of this name. `sum` is a rewrite only with weights.
const Rewrite* find_rewrite(const std::string& name, bool with_weights);

}  // namespace tailrace::analytics::expression
