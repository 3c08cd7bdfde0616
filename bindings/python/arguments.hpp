// Converts communicators and paths of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace tailrace::bindings {

// The Fortran handle of an mpi4py communicator (anything with py2f) or of an int. Throws Error(usage).
int communicator_handle(nanobind::handle communicator);

// The text of a path: a str or anything with __fspath__.
std::string path_of(nanobind::handle path);

}  // namespace tailrace::bindings
