// MONC's XML as a configuration of Tailrace.
#pragma once

#include "dialects/monc/vocabulary.hpp"

namespace tailrace::dialects::monc {

// As config::Dialect says. An option `legacy` of the model with the value `monc` counts as Options::legacy.
// Problems are those of tags, then of elements, of rules, and of groups and files at last, each only where
// there are none of the kind before.
Translation translate(const Sources& sources, const Options& options, Problems& problems);

}  // namespace tailrace::dialects::monc
