// Another notation for a configuration, such as the XML of another I/O server.
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
  // What {name} stands for, where it is known already: it is then filled in. Others stay in braces. May be
  // null. Not kept.
  const std::map<std::string, std::string>* values = nullptr;
  bool legacy = false;                // the values of the other server, even where they are wrong
  std::set<std::string> beside = {};  // the keys at the top of the files around it that are no dialect
};

struct Translation {
  Node tree;                          // what YAML would give, with places that point into the sources
  std::vector<std::string> warnings;  // a line each, with file:line:column; each is said once
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual std::string name() const = 0;  // by which the option `legacy` asks for the values of its server
  virtual bool recognises(std::string_view text) const = 0;  // as its own, and not YAML

  // Reads the file and what it includes, each once. Throws Error(configuration) for an include cycle and a
  // missing include; lets the reader's error about the first file through.
  virtual Sources read_sources(const std::string& path, const Reader& reader) const = 0;

  // Reads no file: all texts are in `sources`. Mistakes become problems; the tree must be used only if there
  // are none. Throws nothing for what a user wrote.
  virtual Translation translate(const Sources& sources, const TranslationOptions& options,
                                Problems& problems) const = 0;
};

}  // namespace tailrace::config
