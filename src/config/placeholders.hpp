// Placeholders `{name}` in scalars and keys, whose values are given from outside; `{{name}}` is the text
// `{name}`. A name consists of letters, digits and underscores, but not only of digits; other braces are
// ordinary text.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

// Names that have another meaning in the keys of one section, whose reader replaces them.
struct KeptNames {
  std::string section;  // a path
  std::set<std::string> names;
};

std::set<std::string> placeholders_in(std::string_view text);
bool is_open(std::string_view text);  // there is a `{name}` that has not been replaced
// The same for an option whose files are read before the model gives its options; adds a problem.
bool needs_options(const Node& node, const std::string& option, Problems& problems);
// All placeholders in the tree, including its keys, except those in `kept`.
std::set<std::string> placeholders_in(const Node& node, const KeptNames& kept = {},
                                      const std::string& path = "");

// True if any key or scalar has an opening brace; otherwise replacing placeholders changes nothing.
bool has_braces(const Node& node);

// Replaces placeholders in keys and scalars. An unknown name is a problem with the nearest known one.
void fill_placeholders(Node& node, const std::map<std::string, std::string>& values, const std::string& path,
                       Problems& problems, const KeptNames& kept = {});

}  // namespace tailrace::config
