// The warnings and errors that this process has logged, for its status.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::base {

inline constexpr std::size_t logged_warnings_kept = 5;

struct LoggedWarnings {
  std::uint64_t count = 0;
  std::vector<std::string> last;  // the latest logged_warnings_kept, in their order, at most 500 bytes each
};

// Safe from any thread.
LoggedWarnings logged_warnings();
void remember_warning(std::string_view message);  // the log calls it, whatever its level

}  // namespace tailrace::base
