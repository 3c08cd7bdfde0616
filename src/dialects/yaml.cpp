#include "dialects/yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "config/scalars.hpp"

namespace tailrace::dialects {
namespace {

using config::Node;
using config::NodeEntry;
using config::NodeKind;

constexpr std::size_t width = 110;
constexpr int block_levels = 2;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// True if YAML reads the text without quotes as this text, and not as a value of another type.
bool is_plain(const std::string& text) {
  constexpr std::string_view inside = "_.-/+^*()% ";
  constexpr std::array<std::string_view, 11> words{"true", "false", "null", "yes", "no", "on",
                                                   "off",  "y",     "n",    "nan", "inf"};
  if (text.empty() || (!is_word(text.front()) && text.front() != '/') || text.back() == ' ') return false;
  const auto fits = [&](char c) { return is_word(c) || inside.find(c) != std::string_view::npos; };
  if (!std::all_of(text.begin(), text.end(), fits)) return false;
  std::string small = text;
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(words.begin(), words.end(), small) == words.end();
}

std::string in_quotes(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      quoted += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string scalar(const std::string& text, bool quoted) {
  const bool looks_like_number = config::parse_real(text).has_value();
  const bool is_keyword = !quoted && (text == "true" || text == "false");
  const bool as_it_is = looks_like_number ? !quoted : is_keyword || is_plain(text);
  return as_it_is ? text : in_quotes(text);
}

std::string flow(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::null: return "null";
    case NodeKind::scalar: return scalar(node.text, node.quoted);
    case NodeKind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow(item);
      return fmt::format("[{}]", text);
    case NodeKind::map: break;
  }
  for (const NodeEntry& entry : node.entries)
    text += (text.empty() ? "" : ", ") + scalar(entry.key, true) + ": " + flow(entry.value);
  return fmt::format("{{{}}}", text);
}

class Emitter {
 public:
  std::string text;

  void map(const Node& node, std::size_t indent, int level) {
    for (const NodeEntry& entry : node.entries) {
      text += std::string(indent, ' ') + scalar(entry.key, true) + ":";
      value(entry.value, indent, level);
    }
  }

 private:
  // Appends the value after `key:`.
  void value(const Node& node, std::size_t indent, int level) {
    const std::size_t line_start = text.rfind('\n') + 1;  // npos + 1 is the start
    const std::string on_one_line = flow(node);
    const bool is_block_level =
        level + 1 < block_levels && node.kind == NodeKind::map && !node.entries.empty();
    const bool fits = text.size() - line_start + on_one_line.size() < width;
    if (!is_block_level && (fits || node.kind == NodeKind::scalar || node.kind == NodeKind::null)) {
      text += fmt::format(" {}\n", on_one_line);
    } else if (node.kind == NodeKind::map) {
      text += "\n";
      map(node, indent + 2, level + 1);
    } else {
      list(node, indent + 2);
    }
  }

  void list(const Node& node, std::size_t indent) {
    const bool all_scalars = std::all_of(node.items.begin(), node.items.end(),
                                         [](const Node& item) { return item.kind == NodeKind::scalar; });
    if (all_scalars) return wrapped(node, indent);
    text += "\n";
    for (const Node& item : node.items) text += fmt::format("{:{}}- {}\n", "", indent, flow(item));
  }

  void wrapped(const Node& node, std::size_t indent) {
    text += fmt::format("\n{:{}}[", "", indent);
    std::size_t column = indent + 1;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string item = flow(node.items[i]) + (i + 1 < node.items.size() ? "," : "]\n");
      if (column + item.size() + 1 > width && i > 0) {
        text += fmt::format("\n{:{}}", "", indent + 1);
        column = indent + 1;
      } else if (i > 0) {
        text += ' ';
        ++column;
      }
      text += item;
      column += item.size();
    }
  }
};

}  // namespace

std::string to_yaml(const config::Node& tree) {
  if (tree.kind != NodeKind::map || tree.entries.empty()) return flow(tree) + "\n";
  Emitter emitter;
  emitter.map(tree, 0, 0);
  return emitter.text;
}

}  // namespace tailrace::dialects
