// For tests of the translation: files in memory, and what came out as lines of text.
#pragma once

#include <map>
#include <string>

#include "dialects/monc/translate.hpp"
#include "dialects/yaml.hpp"
#include "tailrace/error.hpp"

namespace tailrace::dialects::monc::testing {

using Files = std::map<std::string, std::string>;

inline config::Reader reader_of(const Files& files) {
  return [files](const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) throw Error(ErrorCode::resource, "there is no file " + path);
    return found->second;
  };
}

struct Outcome {
  std::string yaml, problems, warnings;
  Node tree;

  // The text of a scalar, by the keys that lead to it; `(none)` where there is none.
  template <class... Keys>
  std::string at(const Keys&... keys) const {
    const Node* node = &tree;
    for (const std::string& key : {std::string(keys)...}) {
      const NodeEntry* entry = node->find(key);
      if (entry == nullptr) return "(none)";
      node = &entry->value;
    }
    return node->kind == NodeKind::scalar ? node->text : to_yaml(*node);
  }
};

inline Outcome translated(const std::string& xml, const std::map<std::string, std::string>& values = {}) {
  Problems problems;
  Options options;
  options.values = &values;
  Translation made = translate({{"a.xml", xml}}, options, problems);
  Outcome outcome{to_yaml(made.tree), problems.text(), "", std::move(made.tree)};
  for (const std::string& line : made.warnings) outcome.warnings += line + "\n";
  return outcome;
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace tailrace::dialects::monc::testing
