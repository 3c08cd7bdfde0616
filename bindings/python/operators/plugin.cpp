// The plugin that connects the C interface of operators to Python. See README.md.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "calls.hpp"
#include "own_thread.hpp"
#include "tailrace/operator.h"

namespace {

struct Release {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Object = std::unique_ptr<PyObject, Release>;

// Clears Python's current error and returns its text, without a traceback.
std::string take_error() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  const Object holders[] = {Object(type), Object(value), Object(trace)};
  const Object text(value != nullptr ? PyObject_Str(value) : nullptr);
  const char* words = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const std::string name = type != nullptr ? reinterpret_cast<PyTypeObject*>(type)->tp_name : "error";
  PyErr_Clear();
  return words != nullptr ? name + ": " + words : name;
}

// Starts the interpreter of the active virtual environment, or that of the `python3` on the PATH. It is never
// finalised, since modules such as NumPy do not support that. Returns the reason of a failure.
std::string start_interpreter() {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.buffered_stdio = 0;  // what users print appears at once, since nobody flushes at the end
  const char* environment = std::getenv("VIRTUAL_ENV");
  PyStatus status = PyStatus_Ok();
  if (environment != nullptr && *environment != '\0')
    status = PyConfig_SetBytesString(&config, &config.executable,
                                     (std::string(environment) + "/bin/python3").c_str());
  if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  if (PyStatus_Exception(status))
    return std::string("Python cannot be started: ") +
           (status.err_msg != nullptr ? status.err_msg : "no reason");
  PyEval_SaveThread();  // each call takes the lock for its own duration
  return "";
}

// Holds Python's lock for the calling thread, whose thread state is created once.
class Lock {
 public:
  Lock() {
    static thread_local PyThreadState* here = nullptr;
    if (here != nullptr) {
      PyEval_RestoreThread(here);
      return;
    }
    PyGILState_Ensure();
    here = PyGILState_GetThisThreadState();
  }
  ~Lock() { PyEval_SaveThread(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

std::string which_python() {
  const char* executable = PyUnicode_AsUTF8(PySys_GetObject("executable"));
  return std::string("Python " PY_VERSION ", ") + (executable != nullptr ? executable : "of no file") +
         "; a server that is not a Python program uses that of VIRTUAL_ENV, or else the python3 on the PATH";
}

// The function `call` of calls.py; null with a reason if it cannot be loaded, for example without NumPy.
PyObject* load_calls(std::string& why) {
  const Object code(Py_CompileString(calls_source, "<tailrace operators>", Py_file_input));
  const Object names(code ? PyDict_New() : nullptr);
  if (names) PyDict_SetItemString(names.get(), "__builtins__", PyEval_GetBuiltins());
  const Object done(names ? PyEval_EvalCode(code.get(), names.get(), names.get()) : nullptr);
  if (!done) {
    why = take_error() + " (" + which_python() + ")";
    return nullptr;
  }
  PyObject* found = PyDict_GetItemString(names.get(), "call");
  Py_XINCREF(found);
  return found;
}

// One per process, like the interpreter, whose lock guards it. A failure is not retried.
PyObject* caller(std::string& why) {
  static PyObject* found = nullptr;
  static std::string refusal;
  if (found == nullptr && refusal.empty()) {
    found = load_calls(refusal);
  }
  why = refusal;
  return found;
}

// (memory, shape) of an array, over its numbers, which are not copied.
PyObject* pair_of(const tailrace_array& array, int access) {
  Py_ssize_t bytes = sizeof(double);
  const Object shape(PyTuple_New(static_cast<Py_ssize_t>(array.rank)));
  if (!shape) return nullptr;
  for (Py_ssize_t d = 0; d < array.rank; ++d) {
    bytes *= static_cast<Py_ssize_t>(array.count[d]);
    PyTuple_SET_ITEM(shape.get(), d, PyLong_FromLongLong(array.count[d]));
  }
  const Object memory(PyMemoryView_FromMemory(reinterpret_cast<char*>(array.data), bytes, access));
  return memory ? PyTuple_Pack(2, memory.get(), shape.get()) : nullptr;
}

// One call of an operator.
struct Call {
  const char* path;
  const char* function;
  std::span<const tailrace_array> inputs;
  std::span<tailrace_state> state;
  const tailrace_array& output;
};

Object pairs_of(std::span<const tailrace_array> arrays) {
  Object pairs(PyTuple_New(std::ssize(arrays)));
  for (std::size_t i = 0; pairs && i < arrays.size(); ++i) {
    PyObject* pair = pair_of(arrays[i], PyBUF_READ);
    if (pair == nullptr) return {};
    PyTuple_SET_ITEM(pairs.get(), static_cast<Py_ssize_t>(i), pair);
  }
  return pairs;
}

// By name, and writable.
Object pairs_of(std::span<tailrace_state> state) {
  Object pairs(PyDict_New());
  for (tailrace_state& each : state) {
    const Object pair(pairs ? pair_of(each.array, PyBUF_WRITE) : nullptr);
    if (!pair || PyDict_SetItemString(pairs.get(), each.name, pair.get()) != 0) return {};
  }
  return pairs;
}

std::string run_call(const Call& call) {
  std::string why;
  PyObject* run = caller(why);
  if (run == nullptr) return why;
  const Object given = pairs_of(call.inputs), state = pairs_of(call.state);
  if (!given || !state) return take_error();
  const Object result(pair_of(call.output, PyBUF_WRITE));
  if (!result) return take_error();
  const Object answer(
      PyObject_CallFunction(run, "ssOOO", call.path, call.function, given.get(), state.get(), result.get()));
  if (!answer) return take_error();
  if (answer.get() == Py_None) return "";
  const char* text = PyUnicode_AsUTF8(answer.get());
  return text != nullptr ? text : take_error();
}

bool is_ending() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Throws nothing, since the caller is C.
std::string call_with_python(const Call& call) noexcept {
  static const std::string refusal = Py_IsInitialized() != 0 ? "" : start_interpreter();
  if (!refusal.empty()) return refusal;
  if (is_ending()) return "Python is shutting down and runs nothing any more";
  const Lock lock;
  return run_call(call);
}

}  // namespace

// As a tailrace_operator_with_state, with the file and the function as first arguments; the state may have no
// arrays. Any thread may call it; it blocks until the function returns.
extern "C" TAILRACE_EXPORT int tailrace_call_python(const char* path, const char* function,
                                                    const tailrace_array* inputs, int count,
                                                    tailrace_state* state, int states, tailrace_array* output,
                                                    char* error, std::size_t size) {
  std::string why;
  const Call call{path,
                  function,
                  {inputs, static_cast<std::size_t>(count)},
                  {state, static_cast<std::size_t>(states)},
                  *output};
  tailrace::python::run_on_own_thread([&] { why = call_with_python(call); });
  if (why.empty()) return 0;
  std::snprintf(error, size, "%s", why.c_str());
  return 1;
}
