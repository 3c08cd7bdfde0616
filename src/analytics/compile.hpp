// Compiles the text of expressions to the graph: parses, resolves names, checks dimensions and units,
// rewrites calls and merges equal work.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analytics/dim_coordinate.hpp"
#include "analytics/graph.hpp"
#include "config/problems.hpp"

namespace tailrace::analytics {

// A field that the model declared, or a coordinate or other constant array from the model.
struct Input {
  std::string name;  // with its namespace, such as scalar.vwp
  Shape shape;
  bool may_miss = false;  // it has a fill value; missing values are NaN
};

struct DiagnosticSource {
  std::string name;
  config::Location location;  // of the first character of the expression
  std::string path;           // in the configuration, such as diagnostics.theta_mean.is
  std::string text;
  std::string units, long_name, standard_name;
  bool optional = false;  // left out if an input is absent; otherwise that is an error
};

struct Scope {
  std::vector<Input> inputs;
  std::map<std::string, std::string> options;  // the values of {name}
  std::vector<DimCoordinate> coordinates;      // by dimension, for select and interpolation
  Operators operators;  // operators of the configuration; their names differ from built-in ones
  // The dimensions along which cells differ in area because the latitude varies, with the latitude's name.
  std::map<std::string, std::string> latitudes = {};
  // By such a dimension: the input with cell areas, the default weights along it.
  std::map<std::string, std::string> areas = {};
  bool options_known = true;  // false before the model has declared its options: {name} is then any number
};

struct Compiled {
  Graph graph;
  std::vector<std::string> warnings;  // one line each: missing units, diagnostics left out for lack of inputs
  std::vector<std::string> details;   // the full lists of what a warning only counts
};

// Diagnostics may use each other in any order; a cycle is an error. Every mistake is added to `problems` with
// the file, line and column of the word. Does not throw for a user's mistake.
Compiled compile(const std::vector<DiagnosticSource>& sources, const Scope& scope,
                 config::Problems& problems);

}  // namespace tailrace::analytics
