// The section `option_tables` of a file: options of the model as a text variable.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"

namespace tailrace::settings {

struct OptionTable {  // an entry under `option_tables:`
  std::string name;   // of the variable
  config::Location location;
  std::string config_path;
  std::string prefix;                // selects the options; their names in the table lack it
  std::vector<std::string> without;  // prefixes of options that it lacks
  std::string dimension;             // the dimension of the entries
  int width = 0;                     // the least number of characters of each text
  bool optional = false;             // left out if the model gave none of the options
};

config::Section<std::vector<OptionTable>> option_tables_section();  // part of a file

}  // namespace tailrace::settings
