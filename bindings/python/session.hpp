// Binds tailrace.Session.
#pragma once

#include <nanobind/nanobind.h>

namespace tailrace::bindings {

void bind_session(nanobind::module_& module);

}  // namespace tailrace::bindings
