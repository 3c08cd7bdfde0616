// The diagnostics of a component as one graph, in which a value that several diagnostics use is one node.
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
  int input = -1;         // for `input`: index into Scope::inputs
  double constant = 0.0;  // for `constant`: a scalar
  const Operator* op = nullptr;
  std::string name;  // of the operator or input, for messages
  Call call;
  std::vector<int> args;  // earlier nodes, one for each of call.arguments
  Shape shape;
};

// Nodes by kind. `name` is for people.
Node input_node(int input, std::string name, Shape shape);
Node constant_node(double value);
// Applies an operator to nodes. `call.arguments` are the shapes of the nodes `args`, `shape` is that of the
// result.
Node operator_node(const Operator& op, std::string name, Call call, std::vector<int> args, Shape shape);

// A reduction over dimensions as a CF cell method: mean over y, x.
struct Reduced {
  std::string method;
  std::vector<std::string> dims;
  bool operator==(const Reduced&) const = default;
};

struct Diagnostic {
  std::string name;  // may have a namespace
  config::Location location;
  std::string text;  // the expression as written
  int node = -1;
  std::string units, long_name, standard_name;
  // The reductions at the end of the expression, in their order: both of max(mean(th, y, x), z), none of
  // mean(th) - 273.
  std::vector<Reduced> reduced = {};
  std::vector<int> inputs;  // the inputs it depends on: indices into Scope::inputs, sorted
  bool may_miss = false;    // cells may be missing (NaN)
};

struct Graph {
  std::vector<Node> nodes;  // each after its arguments
  std::vector<Diagnostic> diagnostics;
  Operators operators;  // operators of the configuration, to which nodes point

  int add(Node node);  // behind its arguments; returns its number
};

// A node as an expression, such as sum((w - sum(w, y, x) / 64) ** 2, y, x). Truncated with ... after some
// hundred characters.
std::string text_of(const Graph& graph, int node);

// The state that a node keeps from step to step; empty unless it is a kernel.
std::vector<Memory> memories_of(const Node& node);

// Sets Call::purpose of each call of a user-defined operator: the expression and its diagnostic.
void tell_purposes(Graph& graph);

// One line for each node: its number, operation, arguments, dims and units.
std::string text_of(const Graph& graph);

}  // namespace tailrace::analytics
