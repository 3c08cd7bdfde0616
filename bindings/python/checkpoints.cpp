#include "checkpoints.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "tailrace/checkpoints.hpp"

namespace tailrace::bindings {

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace {

std::string path_of(nb::handle path) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

}  // namespace

void bind_checkpoints(nb::module_& module) {
  nb::class_<Checkpoint>(module, "Checkpoint", "A set of saved state on disk.")
      .def_ro("path", &Checkpoint::path)
      .def_ro("component", &Checkpoint::component)
      .def_ro("step", &Checkpoint::step)
      .def_ro("time", &Checkpoint::time, "Seconds of model time; of complete ones.")
      .def_ro("bytes", &Checkpoint::bytes)
      .def_ro("members", &Checkpoint::members, "Files, one for each server that wrote.")
      .def_ro("state", &Checkpoint::state, "complete, on_nodes, unfinished, damaged or refused.")
      .def_ro("why", &Checkpoint::why, "Of all but complete ones.")
      .def_ro("holder", &Checkpoint::holder, "The job that has the component's checkpoints open.");

  const nb::call_guard<nb::gil_scoped_release> unlocked;
  nb::class_<Checkpoints>(module, "Checkpoints", "A directory of checkpoints, one component's in it, or one.")
      .def(
          "__init__", [](Checkpoints* self, nb::handle path) { new (self) Checkpoints(path_of(path)); },
          "path"_a)
      .def(
          "list", &Checkpoints::list, "verify"_a = false, unlocked,
          "By component, the newest first; with verify all bytes are read and compared with their checksums.")
      .def(
          "copy", [](const Checkpoints& self, nb::handle directory) { return self.copy(path_of(directory)); },
          "directory"_a, "Copies one checkpoint into DIRECTORY/COMPONENT; the path of the copy.")
      .def("drain", &Checkpoints::drain, unlocked,
           "Drains what lies in the burst buffer of this node; the paths of those that are complete by that.")
      .def("prune", &Checkpoints::prune, "keep"_a, unlocked,
           "Keeps the newest complete ones of each component; the paths of what went.")
      .def("repair", &Checkpoints::repair, unlocked, "Removes what cannot be used; the paths of what went.");
}

}  // namespace tailrace::bindings
