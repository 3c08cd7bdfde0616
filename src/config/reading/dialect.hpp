// Another notation for a configuration, such as the XML of another I/O server.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "config/problems.hpp"
#include "config/reading/sources.hpp"

namespace tailrace::config {

struct TranslationOptions {
  // The values for {name} that are known already; other names stay in braces. May be null. Not owned.
  const std::map<std::string, std::string>* values = nullptr;
  bool legacy = false;                // reproduce the values of the other server, even wrong ones
  std::set<std::string> beside = {};  // the top-level keys of the YAML files of the same configuration
};

struct Translation {
  Node tree;                          // as if read from YAML; its places point into the sources
  std::vector<std::string> warnings;  // each is a line with file:line:column, without duplicates
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string name() const = 0;  // as in the option `legacy`, which asks for the values of its server
  virtual bool recognises(std::string_view text) const = 0;  // whether the text is in this notation

  // Reads the file and what it includes, each once. Throws Error(configuration) for an include cycle and a
  // missing include, and does not catch the reader's error for the first file.
  virtual Sources read_sources(const std::string& path, const Reader& reader) const = 0;

  // Reads no file: all texts are in `sources`. A user's mistakes become problems and are not thrown. The tree
  // must be used only if there are none.
  virtual Translation translate(const Sources& sources, const TranslationOptions& options,
                                Problems& problems) const = 0;
};

}  // namespace tailrace::config
