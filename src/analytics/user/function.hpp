// The code behind a user operator, in whatever language.
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
  // `state`: as declared, read and changed. Throws Error(configuration) with what the function says of its
  // failure. From any thread.
  virtual void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> state,
                    tailrace_array& output) const = 0;
};

// Loads the library now. Throws Error(configuration): it cannot be loaded, it has no such function.
std::shared_ptr<const Function> load_library(const Declaration& declaration);

// Only looks whether the file is there; Python starts at the first call, on the ranks that compute. Throws
// Error(configuration).
std::shared_ptr<const Function> find_python(const Declaration& declaration);

// Turns the answer of a function (an exit status and a text of `size` bytes) into an exception where it
// failed.
inline constexpr std::size_t error_size = 2048;
void throw_if_failed(int status, const char* error);

}  // namespace tailrace::analytics::user
