// The names of the datasets of all components that share the servers: no two write in the same place.
//
// `start` compares the names that are complete. Names with options of the model, such as `out_{member}.nc`,
// are compared when a component becomes ready, by the first server, before any server creates a file of it.
#pragma once

#include <string>
#include <vector>

#include "settings/configuration.hpp"

namespace tailrace::handshake {

class OutputNames {
 public:
  // Adds the names of a component. Throws Error(configuration), with both components and the places of both
  // entries, if another component writes there, or in a folder that the other component's dataset is. Leaves
  // out names with placeholders, and what makes no file. Looks at the file system: paths that lead to the
  // same place are the same.
  void add(const std::string& component, const settings::Configuration& configuration);

 private:
  struct Name {
    std::string place;  // from the root
    std::string component;
    std::string path;
    std::string location;
  };
  void compare(const Name& name) const;

  std::vector<Name> names_;
};

}  // namespace tailrace::handshake
