// What a model declared in a run, kept in the report directory, so that a configuration can be checked
// against it without the model.
#pragma once

#include <string>

#include "model/declarations.hpp"

namespace tailrace::plan {

struct Declared {
  model::Declarations declarations;
  model::Decomposition decomposition;  // of indexed grids: how many cells each rank had, not which
};

// JSON. Without meshes, and without the cells of indexed grids.
std::string to_json(const Declared& declared);
// `name` is the file's, for messages. Throws Error(configuration) where the text is not what to_json gives.
Declared declared_from_json(const std::string& text, const std::string& name);

}  // namespace tailrace::plan
