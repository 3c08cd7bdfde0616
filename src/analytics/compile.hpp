// From the text of expressions to the graph: parse, resolve names, check dimensions and units, rewrite,
// merge.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analytics/dim_coordinate.hpp"
#include "analytics/graph.hpp"
#include "config/problems.hpp"

namespace tailrace::analytics {

// A field that the model declared, or a coordinate or other constant array the model gave.
struct Input {
  std::string name;  // with its namespace: scalar.vwp
  Shape shape;
  bool may_miss = false;  // it has a fill value; missing values come as NaN
};

struct DiagnosticSource {
  std::string name;
  config::Location location;  // of the first character of the expression
  std::string path;           // in the configuration: diagnostics.theta_mean.is
  std::string text;
  std::string units, long_name, standard_name;
  bool optional = false;  // left out where an input is absent, instead of being an error
};

struct Scope {
  std::vector<Input> inputs;
  std::map<std::string, std::string> options;  // what {name} stands for
  std::vector<DimCoordinate> coordinates;      // by dimension, for select and interpolation
  Operators operators;                         // besides the built-in ones, whose names they do not bear
  // Along which dimensions cells differ in area, as those of a latitude do, and the name of that latitude.
  std::map<std::string, std::string> latitudes = {};
  // By such a dimension, the input by which these cells count where no weights are given.
  std::map<std::string, std::string> areas = {};
  bool options_known = true;  // false while the model has not spoken: {name} is then any number
};

struct Compiled {
  Graph graph;
  std::vector<std::string> warnings;  // a line each: missing units, diagnostics dropped for want of inputs
  std::vector<std::string> details;   // what a warning only counts, in full
};

// Diagnostics may use each other in any order; cycles are problems. Every mistake is added to `problems` with
// file:line:column of the very word. Never throws for what a user wrote.
Compiled compile(const std::vector<DiagnosticSource>& sources, const Scope& scope,
                 config::Problems& problems);

}  // namespace tailrace::analytics
