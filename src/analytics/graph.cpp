#include "analytics/graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/index.hpp"

namespace tailrace::analytics {

namespace {

constexpr std::size_t longest_text = 600;
constexpr int deepest_text = 60;

bool is_sign(const std::string& name) {
  const char first = name.empty() ? '\0' : name.front();
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
  return !letter || name == "and" || name == "or";
}

std::string text_of(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *word);
  const auto& numbers = std::get<std::vector<double>>(value);
  if (numbers.size() > 8) return fmt::format("[{} numbers]", numbers.size());
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

// The text of a node, given those of its arguments.
std::string phrase(const Node& node, const std::vector<std::string>& arguments) {
  if (node.kind == NodeKind::input) return node.name;
  if (node.kind == NodeKind::constant) return fmt::format("{}", node.constant);
  if (node.kind == NodeKind::elementwise && arguments.size() == 2 && is_sign(node.name))
    return fmt::format("({} {} {})", arguments[0], node.name, arguments[1]);
  std::vector<std::string> all = arguments;
  if (node.kind != NodeKind::elementwise) {
    all.insert(all.end(), node.call.dims.begin(), node.call.dims.end());
    for (const auto& [name, value] : node.call.parameters)
      all.push_back(fmt::format("{}={}", name, text_of(value)));
  }
  return fmt::format("{}({})", node.name, fmt::join(all, ", "));
}

std::string nested(const Graph& graph, int number, int depth, std::size_t& room) {
  if (depth > deepest_text || room == 0) return "...";
  const Node& node = graph.nodes.at(base::index(number));
  std::vector<std::string> arguments;
  for (const int argument : node.args) arguments.push_back(nested(graph, argument, depth + 1, room));
  room -= std::min(room, node.name.size() + 4);
  return phrase(node, arguments);
}

}  // namespace

std::string text_of(const Graph& graph, int node) {
  std::size_t room = longest_text;
  return nested(graph, node, 0, room);
}

Node input_node(int input, std::string name, Shape shape) {
  Node node;
  node.kind = NodeKind::input;
  node.input = input;
  node.name = std::move(name);
  node.shape = std::move(shape);
  return node;
}

Node constant_node(double value) {
  Node node;
  node.constant = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
  node.shape.units = "1";
  return node;
}

Node operator_node(const Operator& op, std::string name, Call call, std::vector<int> args, Shape shape) {
  Node node;
  node.kind = dynamic_cast<const Elementwise*>(&op) != nullptr ? NodeKind::elementwise
              : dynamic_cast<const Reduction*>(&op) != nullptr ? NodeKind::reduction
                                                               : NodeKind::kernel;
  node.op = &op;
  node.name = std::move(name);
  node.call = std::move(call);
  node.args = std::move(args);
  node.shape = std::move(shape);
  return node;
}

int Graph::add(Node node) {
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

std::vector<Memory> memories_of(const Node& node) {
  if (node.kind != NodeKind::kernel) return {};
  return static_cast<const Kernel*>(node.op)->memories(node.call);
}

namespace {

// The first diagnostic that needs the node.
std::string diagnostic_with(const Graph& graph, std::size_t node) {
  std::vector<bool> needs(graph.nodes.size(), false);
  needs[node] = true;
  for (std::size_t i = node + 1; i < graph.nodes.size(); ++i)
    for (const int argument : graph.nodes[i].args)
      if (needs[base::index(argument)]) needs[i] = true;
  for (const Diagnostic& diagnostic : graph.diagnostics)
    if (diagnostic.node >= 0 && needs[base::index(diagnostic.node)]) return diagnostic.name;
  return "";
}

}  // namespace

void tell_purposes(Graph& graph) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Node& node = graph.nodes[i];
    const auto own = graph.operators.find(node.name);
    if (own == graph.operators.end() || own->second.get() != node.op) continue;
    node.call.purpose =
        fmt::format("diagnostic \"{}\": {}", diagnostic_with(graph, i), text_of(graph, static_cast<int>(i)));
  }
}

std::string text_of(const Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    std::vector<std::string> arguments;
    for (const int argument : node.args) arguments.push_back(fmt::format("#{}", argument));
    std::vector<std::string> dims;
    for (const Dim& dim : node.shape.dims)
      dims.push_back(fmt::format("{}{}={}", dim.name, dim.split ? "/" : "", dim.extent));
    text += fmt::format("#{} = {}  [{}] {}\n", i, phrase(node, arguments), fmt::join(dims, ", "),
                        node.shape.units.value_or("?"));
  }
  return text;
}

}  // namespace tailrace::analytics
