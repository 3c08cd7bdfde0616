// A configuration as a set of texts that include each other, and the one tree they make together. Files are
// read once, on one rank; the texts then travel to all, so that all check the same words.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

struct SourceFile {
  std::string name;
  std::string text;
};
using Sources = std::vector<SourceFile>;  // the first is the configuration, the rest what it includes

// Gives the text of a file. Throws Error(resource).
using Reader = std::function<std::string(const std::string& path)>;

// Reads the file and what it includes (`include: [a.yaml]`, relative to the including file), each once.
// MONC's XML may stand wherever YAML may; what it includes is found as monc::read_sources says. Throws
// Error(configuration) for an include cycle, a missing include, and what is not YAML; lets the reader's error
// about the first file through.
Sources read_sources(const std::string& path, const Reader& reader);

// One tree of all sources, without `include`. Maps merge deeply; a value that stands in two files is a
// problem that names both places, save for `version_key`, which every file may state.
Node merge_sources(const Sources& sources, const std::string& version_key, Problems& problems);

// The same, where options are known that MONC's XML may name. What its translation has to say is added to
// `warnings`, a line each.
Node merge_sources(const Sources& sources, const std::string& version_key,
                   const std::map<std::string, std::string>* options, Problems& problems,
                   std::vector<std::string>& warnings);

}  // namespace tailrace::config
