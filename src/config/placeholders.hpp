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

std::set<std::string> placeholders_in(std::string_view text);
std::set<std::string> placeholders_in(const Node& node);  // in the whole tree below, keys included

// Whether any key or scalar has an opening brace: where none has, filling in changes nothing.
bool has_braces(const Node& node);

// Fills them in, in keys and scalars. An unknown name is a problem with the nearest known one.
void fill_placeholders(Node& node, const std::map<std::string, std::string>& values, const std::string& path,
                       Problems& problems);

}  // namespace tailrace::config
