// The nouns of `config` that this room speaks in.
#pragma once

#include "config/dialect.hpp"
#include "config/node.hpp"
#include "config/problems.hpp"

namespace tailrace::dialects::monc {

using config::Location;
using config::Node;
using config::NodeEntry;
using config::NodeKind;
using config::Problems;
using config::SourceFile;
using config::Sources;
using config::Translation;
using Options = config::TranslationOptions;

}  // namespace tailrace::dialects::monc
