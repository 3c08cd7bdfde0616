// The declarations of a model in a run, saved in the report directory, so that a configuration can be checked
// against them without the model.
#pragma once

#include <string>

#include "model/declarations.hpp"

namespace tailrace::plan {

struct Declared {
  model::Declarations declarations;
  model::Decomposition decomposition;  // for indexed grids only the number of cells of each rank
  std::string text = {};               // the configuration that the model gave beside the user's file
};

// JSON. Without the cells of indexed grids, and without what the ranks put in `ready`: nodes and
// connectivity.
std::string to_json(const Declared& declared);
// `name` is the file's name, for messages. Throws Error(configuration) if the text is not in the form of
// to_json.
Declared declared_from_json(const std::string& text, const std::string& name);

}  // namespace tailrace::plan
