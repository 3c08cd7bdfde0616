// Binds tailrace.Checkpoints.
#pragma once

#include <nanobind/nanobind.h>

namespace tailrace::bindings {

void bind_checkpoints(nanobind::module_& module);

}  // namespace tailrace::bindings
