// A configuration as a set of texts that include each other, and their merged tree. One rank reads the files
// and sends the texts to all, so that all ranks check the same texts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::config {

struct SourceFile {
  std::string name;
  std::string text;
  bool is_data = false;      // a data file that an option names, such as a table; not part of the tree
  bool is_of_model = false;  // a text that the model gives beside the user's file
  std::string stream = {};   // of such a text: the output stream for which it is given; empty: the session
};
using Sources =
    std::vector<SourceFile>;  // the first is the configuration, the others are its includes and data files

// Returns the text of a file. Throws Error(resource).
using Reader = std::function<std::string(const std::string& path)>;

// A file that an option names, and the place of the option's value.
struct DataFile {
  std::string path;
  Location location;
  std::string option;
  std::optional<std::string> text = {};  // what is sent in place of its contents, which may be large
};
// Finds the files that options in these trees name. Mistakes become problems.
using FindData = std::function<std::vector<DataFile>(const std::vector<Node>& trees, Problems& problems)>;

// The path of a file that is named in another one: it is relative to the folder of that file.
std::string path_beside(const std::string& file, const std::string& named);
// The files that an option names, as a text or a list of texts. A name with a placeholder is a problem, since
// these files are read before the model gives its options.
std::vector<DataFile> named_files(const Node& value, const std::string& option, Problems& problems);

class Dialect;
// The notations that may be used in place of YAML. Not owned.
using Dialects = std::vector<const Dialect*>;

// The limits on a configuration with its includes: enough for 100,000 fields, and small enough that a file
// which is not a configuration is refused at once.
inline constexpr std::size_t most_bytes = std::size_t{4} << 20;
inline constexpr std::size_t most_files = 1000;

// The name of the text that the model gives, in messages.
inline constexpr const char* name_of_model_text = "<model>";

// Reads the file and its includes (`include: [a.yaml]`, relative to the including file), each once, then the
// files that `find_data` finds, each once. `model_text`, in YAML and without includes, is a further source;
// with an empty path it is the only one. A dialect finds the includes of its files. Throws
// Error(configuration) for an include cycle, a missing include, or a text that is not YAML, and passes on the
// reader's error about the first file.
Sources read_sources(const std::string& path, const Reader& reader, const Dialects& dialects = {},
                     const FindData& find_data = {}, const std::string& model_text = {});

struct MergeOptions {
  std::string version_key;  // a key that every file may have
  Dialects dialects = {};
  const std::map<std::string, std::string>* values = nullptr;  // as in TranslationOptions
  // Replaces the tree of the files, and of the text for the session, before the text for a stream is filled
  // in; called only if there is such a text.
  std::function<Node(Node tree)> select = {};
  std::function<void(const Node& text)> check_stream = {};  // looks at that text
};

struct Merged {
  Node tree;
  std::vector<std::string> warnings;  // of translations, a line each
};

// Adds to `into` what only `from` has, at all depths. A key without a value in `into` leaves out that of
// `from`.
void fill(Node& into, Node&& from);

// Merges all sources into one tree, without `include`. Maps are merged at all depths. A value that is given
// in two files is a problem with both places, except for `version_key`. The text of the model gives what the
// files do not; a key that a file gives without a value leaves out what the model gives for it.
Merged merge_sources(const Sources& sources, const MergeOptions& options, Problems& problems);

}  // namespace tailrace::config
