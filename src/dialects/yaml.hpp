// Writes a configuration's tree as YAML.
#pragma once

#include <string>

#include "config/node.hpp"

namespace tailrace::dialects {

// parse_yaml() reads the text back as the same tree, except for places and unnecessary quotes. Each entry of
// the outer two levels of maps gets a line; deeper levels are split only if they do not fit into one line.
std::string to_yaml(const config::Node& tree);

}  // namespace tailrace::dialects
