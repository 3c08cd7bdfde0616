// tailrace.Session for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace tailrace::bindings {

void bind_session(nanobind::module_& module);
// The Fortran handle of an mpi4py communicator (anything with py2f) or of an int. Throws Error(usage).
int communicator_handle(nanobind::handle communicator);

}  // namespace tailrace::bindings
