// Builds the graph: equal work becomes one node, constants are folded, units are converted to agree.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analytics/graph.hpp"
#include "analytics/opcodes.hpp"
#include "analytics/operators/elementwise.hpp"

namespace tailrace::analytics::expression::nodes {

// The value of a phrase. It has the units, and the node has none, because with_units may give the same
// numbers other units.
struct Value {
  int node = -1;
  std::optional<std::string> units;  // none: unknown
  bool bare = false;                 // a number as written: takes the units of what it meets
  // Multiplied with a bare number, which may have been a conversion by hand: never converted unasked.
  bool scaled = false;
  bool open = false;  // a number that is not known yet: {name} while the model has not spoken
  // Made from fields with a fill value: NaN is then a missing value, which reductions leave out.
  bool may_miss = false;
  std::vector<Reduced> reduced = {};  // as Diagnostic::reduced; the resolver keeps it
};

// Nodes are only ever added, and each after its arguments, so that a number stays good and going over the
// list from the front meets arguments first. Equal work is found when a node is made, by a key of all it
// depends on (node_key): a pass over the finished graph could merge no more, and everything would have been
// built first. Units are those of a value and not of its node, so that two names for the same numbers share
// them.
class Builder {
 public:
  Value input(int number, const std::string& name, const Shape& shape);
  Value number(double value);

  // These throw CallProblem. Where an argument is missing the result is, also of what NumPy gives a number
  // for: comparisons, logic, choices, powers. isnan and isfinite tell.
  Value elementwise(Opcode opcode, std::vector<Value> arguments);
  // Of reductions and kernels; `call` without arguments. A reduction's dims are put into the order of its
  // arguments, and named where none is. What may miss is left out, unless the call says skip_missing=0; where
  // nothing is left the result is missing.
  Value apply(const std::string& name, const Operator& op, Call call, const std::vector<Value>& arguments);
  // The same as NumPy has them: missing values are NaN, and no more.
  Value computed(Opcode opcode, std::vector<Value> arguments);
  Value applied(const std::string& name, const Operator& op, Call call, const std::vector<Value>& given);
  Value to_units(const Value& value, const std::string& units, int argument);

  // The value with units `to`, converted where that is safe. `what` completes "... and ...": why they must
  // agree. Throws CallProblem where they cannot.
  Value converted(const Value& value, const std::string& to, int argument, const std::string& what);

  Shape shape(const Value& value) const;  // with the value's units
  const Dims& dims(const Value& value) const { return node(value).shape.dims; }
  std::optional<double> constant(const Value& value) const;

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  const Node& node(const Value& value) const { return nodes_[static_cast<std::size_t>(value.node)]; }
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
