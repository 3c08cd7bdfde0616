// Three kinds of failure, three roads: the user's mistake is an Error (thrown), our own bug is a failed
// TAILRACE_ASSERT, the world's fault is a Fault: a value that is kept until the next caller can be told.
#pragma once

#include <string>
#include <string_view>

#include "tailrace/error.hpp"

namespace tailrace::base {

// A failure that happened in the background and travels as a value.
struct Fault {
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

// The Fault that stands for the exception now being handled; call inside a catch block only.
Fault current_fault();

[[noreturn]] void assertion_failed(std::string_view expression, std::string_view file, int line,
                                   std::string_view message);

}  // namespace tailrace::base

// Guards what only a bug in Tailrace can break; stays on in release builds. Throws Error(internal).
#define TAILRACE_ASSERT(expression, message) \
  ((expression) ? static_cast<void>(0)       \
                : ::tailrace::base::assertion_failed(#expression, __FILE__, __LINE__, (message)))
