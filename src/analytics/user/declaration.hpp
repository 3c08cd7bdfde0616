// The declaration of a user-defined operator in a configuration. It suffices for the plan, without calling
// the operator.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "config/location.hpp"
#include "config/problems.hpp"

namespace tailrace::analytics::user {

struct NamedDim {
  std::string name;
  config::Location location;
};

struct ResultDim {
  std::string name;
  std::int64_t extent = 0;  // 0: that of the arguments' dimension of this name
  config::Location location;
};

// An array that the operator keeps from step to step.
struct KeptArray {
  std::string name;
  config::Location location;
  std::optional<std::vector<ResultDim>> dims;               // none: those of the first argument
  double start = std::numeric_limits<double>::quiet_NaN();  // the value of all cells before the first step
};

struct Declaration {
  std::string name;
  config::Location location;
  config::Location file_location;  // of the name of the library or Python file
  std::string path;                // of the file to open
  bool python = false;             // otherwise a shared library
  std::string function;            // its name in the file
  // For each argument the names of its dimensions, slowest first; none: any dimensions.
  std::vector<std::optional<std::vector<NamedDim>>> arguments;
  bool needs_all = false;                        // every dimension is needed whole
  std::vector<NamedDim> needs_whole;             // in addition to those that the result lacks
  std::optional<std::vector<ResultDim>> result;  // none: the dimensions of the first argument
  std::vector<KeptArray> state;                  // in the order of the configuration
  config::Location units_location;
  std::string units;           // "same": of the first argument; empty: unknown
  bool takes_missing = false;  // the function handles NaN as a missing value
  bool thread_safe = false;    // may be called by several threads at once
};

// Checks the declarations by themselves: invalid names or names in use, unknown units, dimensions that are
// repeated or that no argument has.
void check_declarations(const std::vector<Declaration>& declarations, config::Problems& problems);

}  // namespace tailrace::analytics::user
