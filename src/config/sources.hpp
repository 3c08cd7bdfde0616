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
  bool is_data = false;  // named by an option, such as a table: no part of the tree
};
using Sources = std::vector<SourceFile>;  // the first is the configuration, the rest what it includes

// Gives the text of a file. Throws Error(resource).
using Reader = std::function<std::string(const std::string& path)>;

// A file that an option names, and where it does.
struct DataFile {
  std::string path;
  Location location;
  std::string option;
};
// Which files the options in these trees name. Its mistakes become problems.
using FindData = std::function<std::vector<DataFile>(const std::vector<Node>& trees, Problems& problems)>;

// The path of a file that is named in another one: it is relative to the folder of that file.
std::string path_beside(const std::string& file, const std::string& named);
// The files that an option names, as a text or a list of texts. A name with a placeholder is a problem, since
// these files are read before the model gives its options.
std::vector<DataFile> named_files(const Node& value, const std::string& option, Problems& problems);

class Dialect;
// Notations that may stand wherever YAML may. Not owned.
using Dialects = std::vector<const Dialect*>;

// What a configuration may amount to, with all that it includes: enough for 100,000 fields, and little enough
// that a file which is no configuration is refused at once.
inline constexpr std::size_t most_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_files = 1000;

// Reads the file and what it includes (`include: [a.yaml]`, relative to the including file), each once. What
// a file in a dialect includes is found as that dialect says. Throws Error(configuration) for an include
// cycle, a missing include, and what is not YAML; lets the reader's error about the first file through.
// Behind these come the files that `find_data` finds named, each once.
Sources read_sources(const std::string& path, const Reader& reader, const Dialects& dialects = {},
                     const FindData& find_data = {});

struct MergeOptions {
  std::string version_key;  // which every file may state
  Dialects dialects = {};
  const std::map<std::string, std::string>* values = nullptr;  // as in TranslationOptions
};

struct Merged {
  Node tree;
  std::vector<std::string> warnings;  // of translations, a line each
};

// One tree of all sources, without `include`. Maps merge deeply; a value that stands in two files is a
// problem that names both places, save for `version_key`.
Merged merge_sources(const Sources& sources, const MergeOptions& options, Problems& problems);

}  // namespace tailrace::config
