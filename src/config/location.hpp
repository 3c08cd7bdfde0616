// A place in a configuration.
#pragma once

#include <string>

namespace tailrace::config {

struct Location {
  std::string file;
  int line = 0;              // from 1; 0: no place (a default)
  int column = 0;            // from 1
  std::string text() const;  // file:line:column
};

}  // namespace tailrace::config
