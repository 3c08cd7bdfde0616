// Binds tailrace/compression.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace tailrace::bindings {

void bind_compression(nanobind::module_& module);

}  // namespace tailrace::bindings
