// Builds the graph: equal work becomes one node, constants are folded, and units are converted to common
// ones.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/opcodes.hpp"
#include "analytics/operators/elementwise.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::expression::nodes {

// The value of a phrase. Units belong to the value and not to the node, since with_units gives the same
// numbers other units.
struct Value {
  int node = -1;
  std::optional<std::string> units;  // none: unknown
  bool bare = false;                 // a literal number: takes the units of its operands
  // Multiplied by a bare number, which may be a manual conversion: never converted implicitly.
  bool scaled = false;
  bool open = false;  // a number that is not known yet: {name} before the model has declared its options
  // Depends on fields with a fill value: NaN is a missing value, which reductions exclude.
  bool may_miss = false;
  std::vector<Reduced> reduced = {};  // as Diagnostic::reduced; set by the resolver
};

// Nodes are only appended, each after its arguments, so that indices remain valid and the list is in
// topological order. Equal work is found when a node is created, by a key of everything it depends on
// (node_key; value numbering, as in compilers). A pass over the finished graph could not merge more. Units
// belong to a value and not to its node, so that two names for the same numbers share a node.
class Builder {
 public:
  Value input(int number, const std::string& name, const Shape& shape);
  Value number(double value);

  // These throw CallProblem. If an argument is missing the result is missing too, even for comparisons,
  // logic, choices and powers, for which NumPy gives a number. isnan and isfinite detect missing values.
  Value elementwise(Opcode opcode, std::vector<Value> arguments);
  // Applies a reduction or kernel; `call` has no arguments yet. The dims of a reduction are sorted in the
  // order of its arguments, and completed if none is named. Values that may be missing are excluded unless
  // the call has skip_missing=0; if no value remains the result is missing.
  Value apply(const std::string& name, const Operator& op, Call call, const std::vector<Value>& arguments);
  // The same with NumPy's rules, in which a missing value is just NaN.
  Value computed(Opcode opcode, std::vector<Value> arguments);
  Value applied(const std::string& name, const Operator& op, Call call, const std::vector<Value>& given);
  Value to_units(const Value& value, const std::string& units, int argument);

  // The value in units `to`, converted if that is safe. `what` begins the message. Throws CallProblem if it
  // cannot be converted.
  Value converted(const Value& value, const std::string& to, int argument, const std::string& what);

  Shape shape(const Value& value) const;  // with the value's units
  const Dims& dims(const Value& value) const { return node(value).shape.dims; }
  std::optional<double> constant(const Value& value) const;

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  const Node& node(const Value& value) const { return nodes_[base::index(value.node)]; }
  int add(Node made);
  Value scale_and_shift(Value value, double scale, double offset);
  void bring_together(const ElementwiseOperator& op, std::vector<Value>& arguments);
  void forbid_origins(const ElementwiseOperator& op, const std::vector<Value>& arguments) const;
  void drop_units(const ElementwiseOperator& op, std::vector<Value>& arguments);
  std::optional<Value> simpler_power(const std::vector<Value>& arguments);
  int elementwise_node(const ElementwiseOperator& op, Call call, Shape shape,
                       const std::vector<Value>& arguments);
  std::vector<Value> spread(const std::vector<Value>& arguments);
  std::optional<Value> under_root(const Value& value) const;

  std::vector<Node> nodes_;
  std::vector<bool> never_negative_;  // by node
  std::map<std::string, int> known_;
};

}  // namespace tailrace::analytics::expression::nodes
