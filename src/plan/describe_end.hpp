// The part of `tailrace check` about the end of a run and the way to the next one: signals, checkpoints,
// restarts. restarts.
#pragma once

#include <optional>
#include <string>

#include "base/text_tree.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

std::string signal_words(const settings::ServersOptions& servers);

// Nothing without a section `checkpoint`.
std::optional<base::TextTree> describe_checkpoints(const settings::Configuration& configuration);

}  // namespace tailrace::plan
