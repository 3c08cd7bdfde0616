// A configuration as a set of texts that include each other, and the tree that they form together. Files are
// read once, on one rank; the texts are then broadcast, so that all ranks check the same text.
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
  bool is_data = false;  // a file that an option names, such as a table: not part of the tree
};
using Sources = std::vector<SourceFile>;  // the first is the configuration, the rest what it includes

// Returns the text of a file. Throws Error(resource).
using Reader = std::function<std::string(const std::string& path)>;

// A file that an option names, and the place of that option.
struct DataFile {
  std::string path;
  Location location;
  std::string option;
};
// Finds the files that the options in these trees name. Mistakes become problems.
using FindData = std::function<std::vector<DataFile>(const std::vector<Node>& trees, Problems& problems)>;

class Dialect;
// Notations that are accepted in place of YAML. Not owned.
using Dialects = std::vector<const Dialect*>;

// The most bytes of a configuration with all its includes: enough for 100,000 fields, and small enough to
// refuse at once a file that is not a configuration.
inline constexpr std::size_t most_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_files = 1000;

// Reads the file and what it includes (`include: [a.yaml]`, relative to the including file), each once. A
// dialect finds the includes of its own files. Throws Error(configuration) for an include cycle, a missing
// include, and text that is not YAML; does not catch the reader's error for the first file. The files that
// `find_data` finds follow in the result, each once.
Sources read_sources(const std::string& path, const Reader& reader, const Dialects& dialects = {},
                     const FindData& find_data = {});

struct MergeOptions {
  std::string version_key;  // every file may give it
  Dialects dialects = {};
  const std::map<std::string, std::string>* values = nullptr;  // as in TranslationOptions
};

struct Merged {
  Node tree;
  std::vector<std::string> warnings;  // of translations; each is a line
};

// Merges the trees of all sources, without `include`. Maps are merged recursively; a value that is given in
// two files is a problem that names both places, except `version_key`.
Merged merge_sources(const Sources& sources, const MergeOptions& options, Problems& problems);

}  // namespace tailrace::config
