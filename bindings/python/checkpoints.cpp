#include "checkpoints.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "tailrace/checkpoints.hpp"

namespace tailrace::bindings {

namespace nb = nanobind;
using nb::literals::operator""_a;

void bind_checkpoints(nb::module_& module) {
  nb::class_<Checkpoint>(module, "Checkpoint", "A checkpoint on disk.")
      .def_ro("path", &Checkpoint::path)
      .def_ro("component", &Checkpoint::component)
      .def_ro("step", &Checkpoint::step)
      .def_ro("time", &Checkpoint::time, "Model time in seconds, if complete.")
      .def_ro("bytes", &Checkpoint::bytes)
      .def_ro("members", &Checkpoint::members, "The number of shards: files, one for each server that wrote.")
      .def_ro("state", &Checkpoint::state,
              "complete, on_nodes (still in burst buffers), unfinished, damaged or refused.")
      .def_ro("why", &Checkpoint::why, "Why it is not complete.")
      .def_ro("holder", &Checkpoint::holder, "The job that has the component's checkpoints open.");

  const nb::call_guard<nb::gil_scoped_release> unlocked;
  nb::class_<Checkpoints>(
      module, "Checkpoints",
      "A directory of checkpoints, the directory of one component in it, or one checkpoint.")
      .def(
          "__init__", [](Checkpoints* self, nb::handle path) { new (self) Checkpoints(path_of(path)); },
          "path"_a)
      .def("list", &Checkpoints::list, "verify"_a = false, unlocked,
           "The checkpoints by component, the newest first; verify reads all bytes and compares the "
           "checksums.")
      .def(
          "copy", [](const Checkpoints& self, nb::handle directory) { return self.copy(path_of(directory)); },
          "directory"_a, "Copies one checkpoint into DIRECTORY/COMPONENT and returns the path of the copy.")
      .def("drain", &Checkpoints::drain, unlocked,
           "Drains the burst buffer of this node and returns the paths of the checkpoints that are then "
           "complete.")
      .def("prune", &Checkpoints::prune, "keep"_a, unlocked,
           "Keeps the newest complete checkpoints of each component and returns the paths of those that it "
           "removed.")
      .def("repair", &Checkpoints::repair, unlocked,
           "Removes the checkpoints that cannot be used and returns their paths.");
}

}  // namespace tailrace::bindings
