// The diagnostics of a component as one graph. Each value is computed once, however many diagnostics use it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytics/operator.hpp"
#include "analytics/shape.hpp"
#include "config/location.hpp"

namespace tailrace::analytics {

enum class NodeKind { input, constant, elementwise, reduction, kernel };

struct Node {
  NodeKind kind = NodeKind::constant;
  int input = -1;         // of `input`: index into Scope::inputs
  double constant = 0.0;  // of `constant`: a scalar
  const Operator* op = nullptr;
  std::string name;  // of the operator or input, for people
  Call call;
  std::vector<int> args;  // numbers of earlier nodes, as many as call.arguments
  Shape shape;
};

// Nodes by kind. `name` is for people.
Node input_node(int input, std::string name, Shape shape);
Node constant_node(double value);
// Applies an operator to nodes. `call.arguments` are the shapes of the nodes `args`, `shape` is that of the
// result.
Node operator_node(const Operator& op, std::string name, Call call, std::vector<int> args, Shape shape);

// A reduction over dimensions that the result lacks, in the terms of CF: mean over y, x.
struct Reduced {
  std::string method;
  std::vector<std::string> dims;
  bool operator==(const Reduced&) const = default;
};

struct Diagnostic {
  std::string name;  // may carry a namespace
  config::Location location;
  std::string text;  // the expression as written
  int node = -1;
  std::string units, long_name, standard_name;
  // The reductions that end it, the first one first: of max(mean(th, y, x), z) both, of mean(th) - 273 none.
  std::vector<Reduced> reduced = {};
  std::vector<int> inputs;  // of Scope::inputs, sorted: what it is computed from
  bool may_miss = false;    // cells may be missing, which is NaN
};

struct Graph {
  std::vector<Node> nodes;  // each after its arguments
  std::vector<Diagnostic> diagnostics;
  Operators operators;  // of the configuration: nodes point to them

  int add(Node node);  // behind its arguments; returns its number
};

// The computation of a node as an expression: sum((w - sum(w, y, x) / 64) ** 2, y, x). Truncated with ...
// after some hundred characters.
std::string text_of(const Graph& graph, int node);

// The arrays that a node keeps from step to step; only kernels have any.
std::vector<Memory> memories_of(const Node& node);

// Notes in each call of a user's operator (Call::purpose) the expression and the diagnostic that it belongs
// to.
void tell_purposes(Graph& graph);

// One line per node: its number, operation, arguments, dims and units.
std::string text_of(const Graph& graph);

}  // namespace tailrace::analytics
