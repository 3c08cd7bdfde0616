// Another notation for configurations, such as the XML of another I/O server.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "config/problems.hpp"
#include "config/sources.hpp"

namespace tailrace::config {

struct TranslationOptions {
  // The values of placeholders {name} that are known already, which are inserted; others stay. May be null.
  // Not stored.
  const std::map<std::string, std::string>* values = nullptr;
  bool legacy = false;                // reproduce the values of the other server even where they are wrong
  std::set<std::string> beside = {};  // the top-level keys of the YAML files that are read with it
};

struct Translation {
  Node tree;                          // as if parsed from YAML, with places that point into the sources
  std::vector<std::string> warnings;  // a line each, with file:line:column; no line twice
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string name() const = 0;  // the value of the option `legacy` that selects its server
  virtual bool recognises(std::string_view text) const = 0;  // true for its own notation, false for YAML

  // Reads the file and its includes, each once. Throws Error(configuration) for an include cycle or a missing
  // include, and passes on the reader's error about the first file.
  virtual Sources read_sources(const std::string& path, const Reader& reader) const = 0;

  // Reads no file: all texts are in `sources`. Mistakes of users become problems, not exceptions; the tree
  // may be used only if there are none.
  virtual Translation translate(const Sources& sources, const TranslationOptions& options,
                                Problems& problems) const = 0;
};

}  // namespace tailrace::config
