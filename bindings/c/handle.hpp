// What stands behind the opaque tailrace_session*.
#pragma once

#include "../local_shapes.hpp"
#include "tailrace/tailrace.hpp"

struct tailrace_session {
  tailrace::Session session;
  tailrace::bindings::LocalShapes shapes;
  tailrace::ArrayView view;  // kept, so that a strided put allocates nothing after the first
};
