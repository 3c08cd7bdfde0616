// The function of a user-defined operator, in any language.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tailrace/operator.h"

namespace tailrace::analytics::user {

struct Declaration;

class Function {
 public:
  virtual ~Function() = default;
  // `state`: the declared arrays, which the function reads and changes. Throws Error(configuration) with the
  // function's error message. Any thread.
  virtual void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> state,
                    tailrace_array& output) const = 0;
};

// Loads the library at once. Throws Error(configuration) if it cannot be loaded or has no such function.
std::shared_ptr<const Function> load_library(const Declaration& declaration);

// Only checks that the file exists; Python starts at the first call, on the ranks that compute. Throws
// Error(configuration).
std::shared_ptr<const Function> find_python(const Declaration& declaration);

// Throws if a function failed: its result is a status and a text of at most `error_size` bytes.
inline constexpr std::size_t error_size = 2048;
void throw_if_failed(int status, const char* error);

}  // namespace tailrace::analytics::user
