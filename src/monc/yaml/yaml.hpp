// A tree as YAML text.
#pragma once

#include <string>

#include "monc/vocabulary.hpp"

namespace tailrace::monc {

// Reads back (parse_yaml) as the same tree, save for places and for quotes that are not needed. The outer two
// levels of maps get a line an entry, what is below too where it does not fit into one line.
std::string to_yaml(const Node& tree);

}  // namespace tailrace::monc
