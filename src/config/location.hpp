// A place in a configuration.
#pragma once

#include <string>

namespace tailrace::config {

struct Location {
  std::string file;
  int line = 0;    // from 1; 0: no place (a default)
  int column = 0;  // from 1
  std::string text() const {
    return line <= 0 ? file : file + ":" + std::to_string(line) + ":" + std::to_string(column);
  }
};

}  // namespace tailrace::config
