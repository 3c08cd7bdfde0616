// The definition of the opaque tailrace_session.
#pragma once

#include <string>
#include <vector>

#include "../local_shapes.hpp"
#include "tailrace/tailrace.hpp"

struct tailrace_session {
  tailrace::Session session;
  tailrace::bindings::LocalShapes shapes;
  tailrace::ArrayView view;                 // kept, so that only the first strided put allocates memory
  std::vector<std::string> wanted_names{};  // the result of the last such call, which C borrows
  std::vector<const char*> wanted_pointers{};
  bool finished = false;  // tailrace_finish was called, with or without an error
};
