#include "analytics/expression/nodes/node_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>

namespace tailrace::analytics::expression::nodes {

namespace {

// Appends to one text, since a graph has many nodes.
using Key = std::back_insert_iterator<std::string>;

void put(Key key, double value) { fmt::format_to(key, "{:x},", std::bit_cast<std::uint64_t>(value)); }

void put(Key key, const std::string& text) { fmt::format_to(key, "{}:{}", text.size(), text); }

void put(Key key, const ParameterValue& value) {
  fmt::format_to(key, "={}", value.index());
  if (const auto* number = std::get_if<double>(&value)) put(key, *number);
  if (const auto* word = std::get_if<std::string>(&value)) put(key, *word);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value))
    for (const double number : *numbers) put(key, number);
}

// The coordinate of a new dimension may be in the argument's units, so these belong to the key.
bool makes_dim(const Node& node) {
  return std::any_of(node.shape.dims.begin(), node.shape.dims.end(), [&](const Dim& dim) {
    return std::none_of(node.call.arguments.begin(), node.call.arguments.end(),
                        [&](const Shape& argument) { return argument.find(dim.name).has_value(); });
  });
}

}  // namespace

std::string key_of(const Node& node) {
  std::string text;
  const Key key(text);
  fmt::format_to(key, "{} {} {}", static_cast<int>(node.kind), node.input, fmt::ptr(node.op));
  if (node.kind == NodeKind::constant) put(key, node.constant);
  for (const int argument : node.args) fmt::format_to(key, " {}", argument);
  for (const Dim& dim : node.shape.dims) put(key, dim.name);
  // The numbers of elementwise nodes do not depend on units or parameters. Those of reductions do not depend
  // on units either, but the coordinates that they make do.
  if (node.kind != NodeKind::reduction && node.kind != NodeKind::kernel) return text;
  text.push_back('|');
  for (const std::string& dim : node.call.dims) put(key, dim);
  for (const auto& [name, value] : node.call.parameters) {
    text.push_back('?');
    put(key, name);
    put(key, value);
  }
  if (node.kind == NodeKind::kernel || makes_dim(node))
    for (const Shape& argument : node.call.arguments) put(key, argument.units.value_or("?"));
  return text;
}

}  // namespace tailrace::analytics::expression::nodes
