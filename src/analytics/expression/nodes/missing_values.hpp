// Handles missing values. They are NaN as soon as they arrive, and most arithmetic gives NaN for NaN. This
// class adds nodes for the other operations, such as a user could write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/expression/nodes/builder.hpp"

namespace tailrace::analytics::expression::nodes {

class MissingValues {
 public:
  explicit MissingValues(Builder& builder) : builder_(builder) {}

  Value elementwise(Opcode opcode, std::vector<Value> arguments);
  Value apply(const std::string& name, const Operator& op, Call call, const std::vector<Value>& given);

 private:
  std::optional<Value> any_absent(const std::vector<Value>& arguments);
  Value missing_where(const Value& absent, Value result);
  Value number_present(const std::string& name, const Operator& op, const Call& call,
                       const std::vector<Value>& given);

  Builder& builder_;
};

}  // namespace tailrace::analytics::expression::nodes
