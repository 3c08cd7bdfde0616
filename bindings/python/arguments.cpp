#include "arguments.hpp"

#include <nanobind/stl/string.h>

#include "tailrace/error.hpp"

namespace nb = nanobind;

namespace tailrace::bindings {

int communicator_handle(nb::handle communicator) {
  if (nb::hasattr(communicator, "py2f")) return nb::cast<int>(communicator.attr("py2f")());
  int handle = 0;
  if (!nb::try_cast(communicator, handle, false)) {
    throw Error(ErrorCode::usage,
                "communicator: expected an mpi4py communicator or its Fortran handle, not a " +
                    std::string(nb::type_name(communicator.type()).c_str()));
  }
  return handle;
}

std::string path_of(nb::handle path) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

}  // namespace tailrace::bindings
