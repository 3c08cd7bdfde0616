// The section `diagnostics`: what the servers compute from the fields.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"
#include "model/declarations.hpp"
#include "output/dataset.hpp"

namespace tailrace::settings {

struct DiagnosticEntry {  // an entry under `diagnostics:`
  std::string name;
  config::Location location;
  std::string is;                // the expression
  config::Location is_location;  // of its first character
  std::string units, long_name, standard_name;
  output::Attributes attributes;
  std::vector<model::Coordinate> coordinates;  // without dims
  std::vector<std::string> dims{};             // slowest first; empty: those of the expression
  bool optional = false;                       // left out if a field that it needs is absent
};

config::Section<std::vector<DiagnosticEntry>> diagnostics_section();

}  // namespace tailrace::settings
