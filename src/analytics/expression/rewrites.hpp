// What can be called but is no operator of its own, because it is written with others: means, variances,
// covariances, masks, units.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analytics/expression/nodes/builder.hpp"

namespace tailrace::analytics::expression {

// What a keyword stands for: `weights` is an expression, all else a number or word.
struct RewriteCall {
  std::vector<nodes::Value> arrays;
  std::vector<std::string>
      dims;  // all of them are dims of each array; never empty where dims are taken and exist
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

// Null where none has the name. `sum` is one only where it is given weights.
const Rewrite* find_rewrite(const std::string& name, bool with_weights);

}  // namespace tailrace::analytics::expression
