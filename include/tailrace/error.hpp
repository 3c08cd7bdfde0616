// The only exception type that Tailrace throws, and the kinds of errors.
#pragma once

#include <stdexcept>
#include <string>

#include "tailrace/export.h"

namespace tailrace {

// The values are part of the C interface (tailrace.h): do not renumber.
enum class ErrorCode : int {
  usage = 1,          // a call was made in the wrong order, with a wrong name, type or size
  configuration = 2,  // the configuration is not valid; the message names file:line:column
  resource = 3,       // the environment failed: disk full, directory not writable, no memory
  lost = 4,           // a peer (model rank or server) has died
  full = 5,           // the buffer is full and `when_full: fail` is set
  internal = 6,       // a bug in Tailrace
};

class TAILRACE_EXPORT Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace tailrace
