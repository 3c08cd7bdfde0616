// The module tailrace._core: errors and functions; the session is in session.cpp.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments.hpp"
#include "checkpoints.hpp"
#include "compression.hpp"
#include "session.hpp"
#include "tailrace/tailrace.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using tailrace::bindings::path_of;

namespace {

// Raises Error (the payload is its type) with the message and .code, one of usage, configuration, resource,
// lost, full, internal.
void translate(const std::exception_ptr& exception, void* payload) {
  static constexpr const char* names[] = {"",     "usage", "configuration", "resource",
                                          "lost", "full",  "internal"};
  try {
    std::rethrow_exception(exception);
  } catch (const tailrace::Error& failure) {
    const nb::handle type(static_cast<PyObject*>(payload));
    nb::object error = type(failure.what());
    const int code = static_cast<int>(failure.code());
    error.attr("code") = code >= 1 && code <= 6 ? names[code] : "internal";
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

void serve(nb::handle config, nb::handle comm) {
  const std::string configuration = path_of(config);
  if (comm.is_none()) {
    const nb::gil_scoped_release unlocked;
    tailrace::serve(configuration);
    return;
  }
  const int handle = tailrace::bindings::communicator_handle(comm);
  const nb::gil_scoped_release unlocked;
  tailrace::serve(handle, configuration);
}

}  // namespace

NB_MODULE(_core, module) {
  // Never released: exceptions may be translated until the interpreter ends.
  PyObject* error = PyErr_NewExceptionWithDoc("tailrace.Error",
                                              "The exception that Tailrace raises; .code states its kind.",
                                              PyExc_RuntimeError, nullptr);
  module.attr("Error") = nb::handle(error);
  nb::register_exception_translator(translate, error);
  tailrace::bindings::bind_session(module);
  tailrace::bindings::bind_checkpoints(module);
  tailrace::bindings::bind_compression(module);

  nb::class_<tailrace::Inspection>(module, "Inspection", "The result of inspect.")
      .def_ro("readable", &tailrace::Inspection::readable,
              "By any other reader of the format, in its present state.")
      .def_ro("repaired", &tailrace::Inspection::repaired)
      .def_ro("report", &tailrace::Inspection::report, "One sentence.");

  module.def("serve", &serve, "config"_a, "comm"_a.none() = nb::none(),
             "Serves until the run is over: on the communicator, or, without one, as a separate program.");
  module.def(
      "check",
      [](nb::handle config, const std::map<std::string, std::string>& options, nb::handle declared,
         nb::handle restart) {
        const auto given = [](nb::handle path) { return path.is_none() ? "" : path_of(path); };
        return tailrace::check(path_of(config), options, given(declared), given(restart));
      },
      "config"_a, "options"_a = std::map<std::string, std::string>{}, "declared"_a = nb::none(),
      "restart"_a = nb::none(),
      "Checks a configuration, against the declarations of a model and a directory of checkpoints if given, "
      "and describes it; raises Error with all mistakes.");
  module.def(
      "plan_graph",
      [](nb::handle config, nb::handle declared, const std::map<std::string, std::string>& options) {
        return tailrace::plan_graph(path_of(config), path_of(declared), options);
      },
      "config"_a, "declared"_a, "options"_a = std::map<std::string, std::string>{},
      "The plan of the diagnostics in the language of Graphviz's dot.");
  module.def(
      "workload",
      [](nb::handle config, nb::handle declared, std::int64_t steps, double step_seconds, int ranks,
         const std::vector<int>& servers, const std::map<std::string, std::string>& options) {
        return tailrace::workload(path_of(config), path_of(declared), {steps, step_seconds, ranks, servers},
                                  options);
      },
      "config"_a, "declared"_a, "steps"_a, "step_seconds"_a, "ranks"_a, "servers"_a,
      "options"_a = std::map<std::string, std::string>{},
      "What a run with these declarations would put, record and commit, as JSON.");
  module.def(
      "report_directory", [](nb::handle config) { return tailrace::report_directory(path_of(config)); },
      "config"_a, "The report directory of a checked configuration; empty if there is no report.");
  module.def(
      "seconds_of_grace", [](nb::handle config) { return tailrace::seconds_of_grace(path_of(config)); },
      "config"_a,
      "The longest time from a signal to the end of the servers, in a checked configuration; 0 if they take "
      "no signal.");
  module.def(
      "coupling_request",
      [](nb::handle config, const std::string& text) {
        return tailrace::coupling_request(path_of(config), text);
      },
      "config"_a, "text"_a = "",
      "What `tailrace serve --yac` and `--pism` need of a checked configuration, as JSON.");
  nb::class_<tailrace::Conversion>(module, "Conversion", "The result of convert_configuration.")
      .def_ro("text", &tailrace::Conversion::text, "YAML.")
      .def_ro("warnings", &tailrace::Conversion::warnings, "One line each, with file:line:column.");
  module.def("configuration_dialects", &tailrace::configuration_dialects,
             "The other notations of configurations, by the name of their program.");
  module.def(
      "convert_configuration",
      [](const std::string& dialect, nb::handle path, const std::map<std::string, std::string>& options,
         bool legacy) { return tailrace::convert_configuration(dialect, path_of(path), options, legacy); },
      "dialect"_a, "path"_a, "options"_a = std::map<std::string, std::string>{}, "legacy"_a = false,
      "Converts a configuration of another program to YAML; raises Error with the mistakes.");
  module.def("reference", &tailrace::reference, "The configuration's options as a Markdown page.");
  module.def("schema", &tailrace::schema, "The same as a JSON schema.");
  nb::class_<tailrace::ExpressionFunction>(module, "ExpressionFunction", "An operator of expressions.")
      .def_ro("name", &tailrace::ExpressionFunction::name)
      .def_ro("kind", &tailrace::ExpressionFunction::kind, "elementwise, reduction, kernel or rewrite.")
      .def_ro("signature", &tailrace::ExpressionFunction::signature)
      .def_ro("says", &tailrace::ExpressionFunction::says)
      .def_ro("cost", &tailrace::ExpressionFunction::cost)
      .def_ro("source", &tailrace::ExpressionFunction::source);
  module.def("expression_functions", &tailrace::expression_functions,
             "All operators of expressions, by name.");
  module.def(
      "hdf5_lock", &tailrace::hdf5_lock, nb::call_guard<nb::gil_scoped_release>(),
      "For a model that calls the same HDF5 library in mode attached: keeps Tailrace's threads out of it "
      "until hdf5_unlock. Blocks until a write that is under way ends.");
  module.def("hdf5_unlock", &tailrace::hdf5_unlock);
  module.def("version", &tailrace::version);
  module.def(
      "inspect", [](nb::handle path, bool repair) { return tailrace::inspect(path_of(path), repair); },
      "path"_a, "repair"_a = false, "Inspects a file and repairs what a killed run left behind.");
}
