// Trees of lines, as the command line prints them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tailrace::base {

struct Branch {
  std::string text;
  std::vector<Branch> below = {};
};

// Each branch with what is below it, a line each.
std::string drawn(const std::vector<Branch>& branches);

// "140 B", "1.5 MiB".
std::string bytes_text(double bytes);

}  // namespace tailrace::base
