#include "analytics/expression/node_key.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace tailrace::analytics::expression {

namespace {

std::string exact(double value) { return fmt::format("{:x}", std::bit_cast<std::uint64_t>(value)); }

std::string counted(const std::string& text) { return fmt::format("{}:{}", text.size(), text); }

std::string text_of(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return "n" + exact(*number);
  if (const auto* word = std::get_if<std::string>(&value)) return "t" + counted(*word);
  std::string text = "l";
  for (const double number : std::get<std::vector<double>>(value)) text += exact(number) + ",";
  return text;
}

}  // namespace

std::string key_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::input: return fmt::format("input {}", node.input);
    case NodeKind::constant: return "constant " + exact(node.constant);
    default: break;
  }
  std::string key = fmt::format("{} {}", static_cast<int>(node.kind), fmt::ptr(node.op));
  for (const int argument : node.args) key += fmt::format(" {}", argument);
  for (const Dim& dim : node.shape.dims) key += "|" + counted(dim.name);
  // The numbers of elementwise work do not depend on units and parameters, those of reductions not on units.
  if (node.kind == NodeKind::elementwise) return key;
  for (const std::string& dim : node.call.dims) key += "&" + counted(dim);
  for (const auto& [name, value] : node.call.parameters) key += "?" + counted(name) + text_of(value);
  if (node.kind == NodeKind::reduction) return key;
  for (const Shape& argument : node.call.arguments) key += "@" + counted(argument.units.value_or("?"));
  return key;
}

}  // namespace tailrace::analytics::expression
