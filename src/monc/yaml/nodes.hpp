// Pieces of a configuration's tree, each with the place it stands for.
#pragma once

#include <string>
#include <utility>

#include "monc/vocabulary.hpp"

namespace tailrace::monc {

inline Node scalar_node(std::string text, const Location& where, bool quoted = false) {
  Node node;
  node.kind = NodeKind::scalar;
  node.location = where;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

inline Node map_node(const Location& where) {
  Node node;
  node.kind = NodeKind::map;
  node.location = where;
  return node;
}

inline Node list_node(const Location& where) {
  Node node = map_node(where);
  node.kind = NodeKind::list;
  return node;
}

// The place of a key is that of its value.
inline void add_entry(Node& map, std::string key, Node value) {
  const Location where = value.location;
  map.entries.push_back({std::move(key), where, std::move(value)});
}

}  // namespace tailrace::monc
