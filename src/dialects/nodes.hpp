// Builds a configuration's tree. Each node has the place in the source that it is translated from.
#pragma once

#include <string>
#include <utility>

#include "config/node.hpp"

namespace tailrace::dialects {

inline config::Node scalar_node(std::string text, const config::Location& where, bool quoted = false) {
  config::Node node;
  node.kind = config::NodeKind::scalar;
  node.location = where;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

inline config::Node map_node(const config::Location& where) {
  config::Node node;
  node.kind = config::NodeKind::map;
  node.location = where;
  return node;
}

inline config::Node list_node(const config::Location& where) {
  config::Node node = map_node(where);
  node.kind = config::NodeKind::list;
  return node;
}

// The place of the key is that of its value.
inline void add_entry(config::Node& map, std::string key, config::Node value) {
  const config::Location where = value.location;
  map.entries.push_back({std::move(key), where, std::move(value)});
}

}  // namespace tailrace::dialects
