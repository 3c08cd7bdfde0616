// All mistakes in a configuration, collected so that the user sees them at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/location.hpp"

namespace tailrace::config {

class Problems {
 public:
  // `path` is the YAML path (servers.buffer), or empty if the mistake belongs to no key.
  void add(const Location& where, std::string_view path, std::string_view what);
  // Adds a note, which is not a mistake: a line of the same form for the log.
  void note(const Location& where, std::string_view path, std::string_view what);
  const std::vector<std::string>& notes() const { return notes_; }

  bool empty() const { return entries_.empty(); }  // notes do not count
  bool touch(std::string_view path) const;         // a mistake is at or below that path
  // One line per mistake, `file:line:column path: what is wrong`, sorted by file and place. Equal lines occur
  // once.
  std::string text() const;
  void throw_if_any() const;  // Error(configuration) with that text

 private:
  struct Entry {
    Location where;
    std::string path;
    std::string line;
  };
  std::vector<Entry> entries_;
  std::vector<std::string> notes_;
};

}  // namespace tailrace::config
