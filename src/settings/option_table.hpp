// `option_tables:` of a file: options of the model as a variable of text.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"

namespace tailrace::settings {

struct OptionTable {  // an entry under `option_tables:`
  std::string name;   // of the variable
  config::Location location;
  std::string config_path;
  std::string prefix;     // of the options it holds; they stand in it without
  std::string dimension;  // along which they lie
  int width = 0;          // characters of each text at least
  bool optional = false;  // left out where the model gave none of them
};

config::Section<std::vector<OptionTable>> option_tables_section();  // part of a file

}  // namespace tailrace::settings
