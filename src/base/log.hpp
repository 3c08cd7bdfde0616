// One line a message on stderr, `tailrace: level: text`; the level comes from TAILRACE_LOG
// (debug|info|warning|error).
#pragma once

#include <string_view>

namespace tailrace::base {

// Safe from any thread. Not for hot paths.
void log_debug(std::string_view message);
void log_info(std::string_view message);
void log_warning(std::string_view message);
void log_error(std::string_view message);

}  // namespace tailrace::base
