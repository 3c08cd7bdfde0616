// What a configuration says of an operator of its own: enough for the plan, without calling it.
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
  double start = std::numeric_limits<double>::quiet_NaN();  // of all its values, before the first step
};

struct Declaration {
  std::string name;
  config::Location location;
  config::Location file_location;  // of the library's or Python file's name
  std::string path;                // of the file, as it is to be opened
  bool python = false;             // else a shared library
  std::string function;            // its name in the file
  // One for each argument: the names of its dimensions, slowest first, or none where any will do.
  std::vector<std::optional<std::vector<NamedDim>>> arguments;
  bool needs_all = false;                        // every dimension is needed whole
  std::vector<NamedDim> needs_whole;             // besides those that the result does not have
  std::optional<std::vector<ResultDim>> result;  // none: the dimensions of the first argument
  std::vector<KeptArray> state;                  // in the order of the configuration
  config::Location units_location;
  std::string units;           // "same": of the first argument; empty: unknown
  bool takes_missing = false;  // it knows that NaN stands for a missing value
  bool thread_safe = false;    // may be called by several threads at once
};

// What is wrong with the words alone: names that are taken or no names, units, dimensions that are named
// twice or that no argument has.
void check_declarations(const std::vector<Declaration>& declarations, config::Problems& problems);

}  // namespace tailrace::analytics::user
