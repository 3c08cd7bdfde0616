// What stands behind the opaque tailrace_session*.
#pragma once

#include <string>
#include <vector>

#include "../local_shapes.hpp"
#include "tailrace/tailrace.hpp"

struct tailrace_session {
  tailrace::Session session;
  tailrace::bindings::LocalShapes shapes;
  tailrace::ArrayView view;                 // kept, so that a strided put allocates nothing after the first
  std::vector<std::string> wanted_names{};  // that were asked for last
  std::vector<const char*> wanted_pointers{};
};
