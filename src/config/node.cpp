#include "config/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace tailrace::config {
namespace {

constexpr int deepest = 64;  // aliases can make a document that contains itself

class Converter {
 public:
  Converter(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  Node convert(const YAML::Node& yaml, const std::string& path, int depth) {
    Node node;
    node.location = place(yaml.Mark());
    if (depth > deepest) {
      problems_.add(node.location, path, fmt::format("is nested deeper than {} levels", deepest));
      return node;
    }
    switch (yaml.Type()) {
      case YAML::NodeType::Scalar:
        node.kind = NodeKind::scalar;
        node.text = yaml.Scalar();
        node.quoted = yaml.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        node.kind = NodeKind::list;
        for (const YAML::Node& item : yaml)
          node.items.push_back(convert(item, path_of(path, node.items.size()), depth + 1));
        break;
      case YAML::NodeType::Map: convert_map(yaml, path, depth, node); break;
      default: break;
    }
    return node;
  }

  Location place(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 1, 1};
    return {file_, mark.line + 1, mark.column + 1};
  }

 private:
  void convert_map(const YAML::Node& yaml, const std::string& path, int depth, Node& node) {
    node.kind = NodeKind::map;
    for (const auto& entry : yaml) {
      const YAML::Node& key = entry.first;
      const Location where = place(key.Mark());
      if (!key.IsScalar()) {
        problems_.add(where, path, "a key must be a plain word");
        continue;
      }
      const std::string name = key.Scalar();
      const std::string inner = path_of(path, name);
      if (const NodeEntry* first = node.find(name)) {
        problems_.add(where, inner,
                      fmt::format("is given twice; the first is at {}", first->location.text()));
        continue;
      }
      node.entries.push_back({name, where, convert(entry.second, inner, depth + 1)});
      // The place of an empty value is that of its key.
      if (node.entries.back().value.kind == NodeKind::null) node.entries.back().value.location = where;
    }
  }

  const std::string& file_;
  Problems& problems_;
};

}  // namespace

const NodeEntry* Node::find(const std::string& key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const NodeEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Node parse_yaml(const std::string& file, const std::string& text, Problems& problems) {
  Converter converter(file, problems);
  Node empty;
  empty.location = {file, 1, 1};
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return empty;
    if (documents.size() > 1)
      problems.add(converter.place(documents[1].Mark()), "",
                   "the file contains a second YAML document; expected only one");
    return converter.convert(documents.front(), "", 0);
  } catch (const YAML::Exception& error) {
    problems.add(converter.place(error.mark), "", "this is not YAML: " + error.msg);
    return empty;
  }
}

std::string path_of(const std::string& parent, const std::string& key) {
  return parent.empty() ? key : parent + "." + key;
}

std::string path_of(const std::string& parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

}  // namespace tailrace::config
