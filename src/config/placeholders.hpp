// `{name}` inside a scalar or key is replaced by a value that is given from outside; `{{name}}` is the text
// `{name}`. A name consists of letters, digits and underscores, not of digits alone. Other braces are not
// changed.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

// Names that have another meaning in the keys of one section, and are replaced later by the code that reads
// it.
struct KeptNames {
  std::string section;  // a path
  std::set<std::string> names;
};

std::set<std::string> placeholders_in(std::string_view text);
// True if the text has a `{name}` that has not been replaced.
bool is_open(std::string_view text);
// The same for an option whose files are read before the model gives its options; adds a problem.
bool needs_options(const Node& node, const std::string& option, Problems& problems);
// The placeholders of the tree below `node`, keys included, except the kept ones.
std::set<std::string> placeholders_in(const Node& node, const KeptNames& kept = {},
                                      const std::string& path = "");

// Whether any key or scalar has an opening brace. If none has, fill_placeholders changes nothing.
bool has_braces(const Node& node);

// Replaces placeholders in keys and scalars. An unknown name is a problem, which names the nearest known one.
void fill_placeholders(Node& node, const std::map<std::string, std::string>& values, const std::string& path,
                       Problems& problems, const KeptNames& kept = {});

// Replaces these placeholders in keys and scalars, and changes no other.
void fill_known_placeholders(Node& node, const std::map<std::string, std::string>& values);

}  // namespace tailrace::config
