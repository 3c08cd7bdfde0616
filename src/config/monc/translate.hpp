// MONC's XML as a configuration of Tailrace.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/monc/text.hpp"
#include "config/node.hpp"
#include "config/problems.hpp"
#include "config/sources.hpp"

namespace tailrace::config::monc {

struct Options {
  // What {name} stands for, where it is known already: it is then filled in. Others stay in braces. May be
  // null. Not kept. An option `legacy` with the value `monc` counts as `legacy` below.
  const std::map<std::string, std::string>* values = nullptr;
  bool legacy = false;  // MONC's values, even where they are wrong
};

struct Translation {
  Node tree;                          // what YAML would give, with places that point into the XML
  std::vector<std::string> warnings;  // a line each, with file:line:column; each is said once
};

// Reads no file. Mistakes become problems: those of tags, then of elements, of rules, and of groups and files
// at last, each only where there are none of the kind before. The tree must be used only if there are none.
// Throws nothing for what a user wrote.
Translation translate(const Sources& sources, const Options& options, Problems& problems);

}  // namespace tailrace::config::monc
