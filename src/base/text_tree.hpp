// Trees of lines, as the command line prints them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tailrace::base {

struct TextTree {
  std::string text;
  std::vector<TextTree> below = {};
};

// One line for each node, indented below its parent.
std::string drawn(const std::vector<TextTree>& trees);

// "140 B", "1.5 MiB".
std::string bytes_text(double bytes);

}  // namespace tailrace::base
