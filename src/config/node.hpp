// YAML as it was written, with the place of every key and value. No option is known at this stage.
#pragma once

#include <string>
#include <vector>

#include "config/location.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

enum class NodeKind { null, scalar, list, map };

struct NodeEntry;

struct Node {
  NodeKind kind = NodeKind::null;
  Location location;
  std::string text;                // of a scalar
  bool quoted = false;             // a scalar in quotes is always text
  std::vector<Node> items;         // of a list
  std::vector<NodeEntry> entries;  // of a map, in the order of the file

  const NodeEntry* find(const std::string& key) const;
};

struct NodeEntry {
  std::string key;
  Location location;  // of the key
  Node value;
};

// Reads one YAML document. Syntax errors and duplicate keys become problems; an empty document is `null`.
Node parse_yaml(const std::string& file, const std::string& text, Problems& problems);

// The name of a place in the tree for messages: `a.b` for a key, `a[0]` for an item.
std::string path_of(const std::string& parent, const std::string& key);
std::string path_of(const std::string& parent, std::size_t index);

}  // namespace tailrace::config
