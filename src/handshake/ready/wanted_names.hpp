// The names of the fields that a configuration requests, and the declaration of the model's fields under
// these names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "client/declarer.hpp"
#include "handshake/start.hpp"
#include "input/options.hpp"

namespace tailrace::handshake {

// The names under `fields` in the configuration of this rank's component, with their namespaces, in the order
// of the configuration, without those that are copies of inputs. Throws Error(configuration) if a name
// contains a `{name}` that is not in `options`.
std::vector<std::string> wanted_names(const Started& started,
                                      const std::map<std::string, std::string>& options);

// Declares a field without a namespace also under each requested name with a namespace, unless the model
// declares that name itself; a put of the field is then a put of all of them. If a group lists `dims`, its
// fields get the declared grid with these dims and the same cells, if there is one. Declares copies of
// inputs. Local, with the same result on all ranks.
void declare_wanted(const Started& started, client::Declarer& declarer);

// Declares `input.NAME`, a field that Tailrace puts with the values of the input of that name (which it
// declares too, if only the configuration knows it and names a grid). Does nothing where there is none.
void declare_copy_of_input(const input::FieldRequest& request, client::Declarer& declarer);

// The same for the groups of one configuration, without copies of inputs.
void declare_wanted(const std::vector<settings::FieldGroup>& groups, client::Declarer& declarer);

}  // namespace tailrace::handshake
