// `{name}` inside a scalar or key stands for a value that is given from outside; `{{name}}` is the text
// `{name}`. A name is made of letters, digits and underscores, not of digits alone; other braces are left
// alone.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

// Names that in the keys of one section stand for something else, and are left to those who read it.
struct KeptNames {
  std::string section;  // a path
  std::set<std::string> names;
};

std::set<std::string> placeholders_in(std::string_view text);
bool is_open(std::string_view text);  // there is a `{name}` that has not been replaced
// The same for the value of an option whose files are read before the model gives its options: a problem.
bool needs_options(const Node& node, const std::string& option, Problems& problems);
// In the whole tree below, keys included, but for those that are kept.
std::set<std::string> placeholders_in(const Node& node, const KeptNames& kept = {},
                                      const std::string& path = "");

// Whether any key or scalar has an opening brace: where none has, filling in changes nothing.
bool has_braces(const Node& node);

// Fills them in, in keys and scalars. An unknown name is a problem with the nearest known one.
void fill_placeholders(Node& node, const std::map<std::string, std::string>& values, const std::string& path,
                       Problems& problems, const KeptNames& kept = {});

}  // namespace tailrace::config
