// Three kinds of failure are handled in three ways. A user's mistake is an Error, which is thrown. A bug of
// Tailrace is a failed TAILRACE_ASSERT. A failure of the environment is a Fault: a value that is kept until
// it can be returned to the next caller.
#pragma once

#include <string>
#include <string_view>

#include "tailrace/error.hpp"

namespace tailrace::base {

// A failure that happened in the background.
struct Fault {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

// Converts the exception that is being handled; call it only inside a catch block.
Fault current_fault();

[[noreturn]] void assertion_failed(std::string_view expression, std::string_view file, int line,
                                   std::string_view message);

}  // namespace tailrace::base

// Checks a condition that only a bug in Tailrace can violate, also in release builds. Throws Error(internal).
#define TAILRACE_ASSERT(expression, message) \
  ((expression) ? static_cast<void>(0)       \
                : ::tailrace::base::assertion_failed(#expression, __FILE__, __LINE__, (message)))
