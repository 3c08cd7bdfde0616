// Tells which files of a configuration are in the notation of another program.
#pragma once

#include "config/sources.hpp"

namespace tailrace::settings {

bool is_translated(const config::SourceFile& source);

}  // namespace tailrace::settings
