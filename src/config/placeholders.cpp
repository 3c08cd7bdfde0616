#include "config/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <vector>

#include "base/nearest_name.hpp"

namespace tailrace::config {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

// The length of a name in braces at the start of `text`, braces included; 0 if there is none.
std::size_t placeholder_length(std::string_view text) {
  if (text.empty() || text[0] != '{') return 0;
  std::size_t end = 1;
  bool is_number = true;
  for (; end < text.size() && is_word(text[end]); ++end)
    is_number = is_number && std::isdigit(static_cast<unsigned char>(text[end])) != 0;
  return !is_number && end < text.size() && text[end] == '}' ? end + 1 : 0;
}

// Copies `text` and replaces each name in braces by `value_of` it.
std::string replace(std::string_view text, const std::function<std::string(const std::string&)>& value_of) {
  std::string filled;
  while (true) {
    const std::size_t plain = std::min(text.find('{'), text.size());
    filled += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return filled;
    std::size_t length = 1;
    if (text.starts_with("{{") && (length = placeholder_length(text.substr(1))) > 0 &&
        text.substr(1 + length).starts_with('}')) {
      filled += text.substr(1, length);
      length += 2;
    } else if ((length = placeholder_length(text)) > 0) {
      filled += value_of(std::string(text.substr(1, length - 2)));
    } else {
      length = 1;
      filled += text.front();
    }
    text.remove_prefix(length);
  }
}

// Leaves everything else as it is, so that it can be replaced later: `{{name}}` too.
std::string replace_one(const std::string& text, const std::string& name, const std::string& value) {
  const std::string whole = "{" + name + "}";
  std::string filled;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(whole, from)) != std::string::npos; from = at + whole.size()) {
    const bool is_escaped = at > 0 && text[at - 1] == '{' && text.substr(at + whole.size()).starts_with('}');
    filled += text.substr(from, at - from) + (is_escaped ? whole : value);
  }
  return filled + text.substr(from);
}

class Filler {
 public:
  Filler(const std::map<std::string, std::string>& values, Problems& problems, const KeptNames& kept)
      : values_(values), problems_(problems), kept_(kept) {
    for (const auto& [name, value] : values) known_.push_back(name);
  }

  void fill(Node& node, const std::string& path) {
    if (node.kind == NodeKind::scalar) node.text = filled(node.text, node.location, path, false);
    for (std::size_t i = 0; i < node.items.size(); ++i) fill(node.items[i], path_of(path, i));
    for (NodeEntry& entry : node.entries) {
      const std::string inner = path_of(path, entry.key);
      entry.key = filled(entry.key, entry.location, inner, !path.empty() && path == kept_.section);
      fill(entry.value, inner);
    }
  }

 private:
  std::string filled(const std::string& text, const Location& where, const std::string& path, bool keeps) {
    return replace(text, [&](const std::string& name) {
      if (keeps && kept_.names.contains(name)) return "{" + name + "}";
      const auto found = values_.find(name);
      if (found != values_.end()) return found->second;
      problems_.add(where, path,
                    fmt::format("the model set no option \"{}\".{}", name, base::name_hint(name, known_)));
      return "{" + name + "}";
    });
  }

  const std::map<std::string, std::string>& values_;
  Problems& problems_;
  const KeptNames& kept_;
  std::vector<std::string> known_;
};

}  // namespace

std::set<std::string> placeholders_in(std::string_view text) {
  std::set<std::string> names;
  replace(text, [&](const std::string& name) {
    names.insert(name);
    return std::string();
  });
  return names;
}

bool is_open(std::string_view text) {
  return text.find('{') != std::string_view::npos && !placeholders_in(text).empty();
}

bool needs_options(const Node& node, const std::string& option, Problems& problems) {
  const auto names = placeholders_in(std::string_view(node.text));
  if (names.empty()) return false;
  problems.add(
      node.location, option,
      fmt::format("\"{{{}}}\" cannot be used here: this file is read before the model gives its options",
                  *names.begin()));
  return true;
}

std::set<std::string> placeholders_in(const Node& node, const KeptNames& kept, const std::string& path) {
  std::set<std::string> names = placeholders_in(std::string_view(node.text));
  for (const Node& item : node.items) names.merge(placeholders_in(item, kept, path + "[]"));
  for (const NodeEntry& entry : node.entries) {
    std::set<std::string> in_key = placeholders_in(std::string_view(entry.key));
    if (!path.empty() && path == kept.section)
      std::erase_if(in_key, [&](const std::string& name) { return kept.names.contains(name); });
    names.merge(in_key);
    names.merge(placeholders_in(entry.value, kept, path_of(path, entry.key)));
  }
  return names;
}

bool has_braces(const Node& node) {
  const auto holds = [](const std::string& text) { return text.find('{') != std::string::npos; };
  return holds(node.text) || std::ranges::any_of(node.items, has_braces) ||
         std::ranges::any_of(node.entries, [&](const NodeEntry& entry) {
           return holds(entry.key) || has_braces(entry.value);
         });
}

void fill_placeholders(Node& node, const std::map<std::string, std::string>& values, const std::string& path,
                       Problems& problems, const KeptNames& kept) {
  Filler(values, problems, kept).fill(node, path);
}

void fill_known_placeholders(Node& node, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    node.text = replace_one(node.text, name, value);
    for (NodeEntry& entry : node.entries) entry.key = replace_one(entry.key, name, value);
  }
  for (Node& item : node.items) fill_known_placeholders(item, values);
  for (NodeEntry& entry : node.entries) fill_known_placeholders(entry.value, values);
}

}  // namespace tailrace::config
