#include "analytics/engine/operator_state/call_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <span>

#include "analytics/opcodes.hpp"
#include "base/bytes.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::operator_state {
namespace {

constexpr std::size_t longest = 160;

std::string shortened(const std::string& text) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
    --end;  // within a UTF-8 character
  return fmt::format("{}...{:016x}", text.substr(0, end), base::digest(std::as_bytes(std::span(text))));
}

std::string text_of(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* word = std::get_if<std::string>(&value)) return fmt::format("\"{}\"", *word);
  return fmt::format("[{}]", fmt::join(std::get<std::vector<double>>(value), ", "));
}

std::string written(const Node& node, std::vector<std::string> arguments) {
  if (node.kind == NodeKind::input) return node.name;
  if (node.kind == NodeKind::constant) return fmt::format("{}", node.constant);
  if (node.kind == NodeKind::elementwise) {
    const auto opcode = static_cast<Opcode>(static_cast<const Elementwise*>(node.op)->opcode());
    if (traits_of(opcode).commutes) std::ranges::sort(arguments);
    const bool is_sign = std::isalpha(static_cast<unsigned char>(node.name.front())) == 0;
    if (is_sign && arguments.size() == 2)
      return fmt::format("({} {} {})", arguments[0], node.name, arguments[1]);
    return fmt::format("{}({})", node.name, fmt::join(arguments, ", "));
  }
  arguments.insert(arguments.end(), node.call.dims.begin(), node.call.dims.end());
  for (const auto& [name, value] : node.call.parameters)
    arguments.push_back(fmt::format("{}={}", name, text_of(value)));
  return fmt::format("{}({})", node.name, fmt::join(arguments, ", "));
}

}  // namespace

std::string call_text(const Graph& graph, int node) {
  std::vector<bool> needed(static_cast<std::size_t>(node) + 1, false);
  needed.back() = true;
  for (std::size_t n = needed.size(); n-- > 0;)
    if (needed[n])
      for (const int argument : graph.nodes[n].args) needed[base::index(argument)] = true;
  std::vector<std::string> texts(needed.size());
  for (std::size_t n = 0; n < needed.size(); ++n) {
    if (!needed[n]) continue;
    std::vector<std::string> arguments;
    for (const int argument : graph.nodes[n].args) arguments.push_back(texts[base::index(argument)]);
    texts[n] = shortened(written(graph.nodes[n], std::move(arguments)));
  }
  return texts.back();
}

}  // namespace tailrace::analytics::engine::operator_state
