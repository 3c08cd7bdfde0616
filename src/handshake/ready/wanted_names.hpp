// What a configuration asks a model for, by name, and the model's fields under these names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/declarer.hpp"
#include "handshake/start.hpp"

namespace tailrace::handshake {

// The names under `fields` in the configuration of this rank's component, with their namespaces, in the order
// of the configuration. Throws Error(configuration) where a name holds a `{name}` that is none of `options`.
std::vector<std::string> wanted_names(const Started& started,
                                      const std::map<std::string, std::string>& options);

// A field that was declared without a namespace stands for the names that are asked for in any namespace and
// that the model does not declare itself: it is declared under each of them, and its puts go to all. Where
// `dims` of a group names the dimensions of its fields, they get the declared grid that has these and the
// same cells, if there is one. Local, with the same result on all ranks.
void declare_wanted(const Started& started, client::Declarer& declarer);

// The same of one configuration.
void declare_wanted(const std::vector<settings::FieldGroup>& groups, client::Declarer& declarer);

}  // namespace tailrace::handshake
