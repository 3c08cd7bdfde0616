// The text level of MONC's XML: lines that are dropped, files that are included, and for each character the
// place that it came from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dialects/monc/vocabulary.hpp"
#include "dialects/monc/warnings.hpp"

namespace tailrace::dialects::monc {

class Text {
 public:
  void add_line(const std::string& file, int number, std::string_view line);
  const std::string& chars() const { return chars_; }
  Location at(std::size_t offset) const;  // of the character there; past the end: of the end

 private:
  struct Line {
    std::size_t start;
    std::size_t file;
    int number;
  };
  std::string chars_;
  std::vector<Line> lines_;
  std::vector<std::string> files_;
};

// Whether a text is MONC's XML and not YAML: what comes first besides blanks, comment lines (`!`, `//`) and
// includes is a `<`.
bool looks_like_xml(std::string_view text);

// Reads the file and what it includes (`#include "x.xml"`: looked for in the folder of the including file, in
// the working directory, and in the folders above the first file), each once. Throws Error(configuration)
// for a circle and for what is not found; lets the reader's error about the first file through.
Sources read_sources(const std::string& path, const config::Reader& reader);

// The one text that the sources make together. Never looks at a file.
Text expand(const Sources& sources, Problems& problems, Warnings& warnings);

}  // namespace tailrace::dialects::monc
