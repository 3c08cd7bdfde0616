"""A user-defined operator that fails affects only its own diagnostic, according to its file's policy."""

import sys

import numpy as np
import pytest
from analytics.support.user_operators import compile_library, configuration, expected, missing, run
from support.harness import attached, inline, servers
from support.reading import read

SOURCES = {
    "refusing.c": """
#include <stdio.h>
#include <stdlib.h>
#include "tailrace/operator.h"
TAILRACE_EXPORT int quits(const tailrace_array* in, int count, tailrace_array* out, char* error, size_t size) {
  (void)in, (void)count, (void)out, (void)error, (void)size;
  exit(9);
}
TAILRACE_EXPORT int wild(const tailrace_array* in, int count, tailrace_array* out, char* error, size_t size) {
  (void)in, (void)count, (void)out, (void)error, (void)size;
  volatile int* volatile nowhere = 0;
  *nowhere = 1;
  return 0;
}
TAILRACE_EXPORT int refuses(const tailrace_array* in, int count, tailrace_array* out, char* error, size_t size) {
  snprintf(error, size, "%d of %d-d is too much", count, (int)in->rank + (out == 0));
  return 1;
}
TAILRACE_EXPORT int silent(const tailrace_array* in, int count, tailrace_array* out, char* error, size_t size) {
  (void)in, (void)count, (void)out, (void)error, (void)size;
  return 42;
}
TAILRACE_EXPORT int chatty(const tailrace_array* in, int count, tailrace_array* out, char* error, size_t size) {
  (void)in, (void)count, (void)out;
  for (size_t i = 0; i < size; ++i) error[i] = 'x';
  return 1;
}
""",
    "throwing.cpp": """
#include <stdexcept>
#include "tailrace/operator.h"
void throws(std::span<const tailrace::OperatorInput>, tailrace::OperatorOutput) { throw std::runtime_error("thrown"); }
void throws_int(std::span<const tailrace::OperatorInput>, tailrace::OperatorOutput) { throw 3; }
TAILRACE_OPERATOR(throws)
TAILRACE_OPERATOR(throws_int)
""",
    "giving_up.f90": """
integer(c_int) function gives_up(inputs, count, output, error, size) bind(c)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use tailrace_operator, only: tailrace_array, tailrace_refuse
  integer(c_int), value :: count
  type(tailrace_array), intent(in) :: inputs(count)
  type(tailrace_array), intent(inout) :: output
  integer(c_size_t), value :: size
  character(kind=c_char), intent(inout) :: error(size)
  gives_up = 1
  if (inputs(1)%rank == output%rank) call tailrace_refuse("not in Fortran", error)
end function gives_up
integer(c_int) function stops(inputs, count, output, error, size) bind(c)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use tailrace_operator, only: tailrace_array
  integer(c_int), value :: count
  type(tailrace_array), intent(in) :: inputs(count)
  type(tailrace_array), intent(inout) :: output
  integer(c_size_t), value :: size
  character(kind=c_char), intent(inout) :: error(size)
  stops = 0
  error(1) = "x"
  if (inputs(1)%rank == output%rank) error stop 9
end function stops
""",
}
PYTHON = """
import ctypes, os, signal, sys, time
import numpy as np
kept, calls = [], 0

def raises(a):
    raise ValueError("the wind is too strong")
def flat(a):
    return a.ravel()
def words(a):
    return np.full(a.shape, "calm")
def nothing(a):
    pass
def writes(a):
    a[...] = 0
    return a
def keeps(a):
    kept.append(a)
    return a
def two(a, b):
    return a
def exits(a):
    sys.exit(4)
def endless(a):
    return endless(a)
def greedy(a):
    return np.empty(10**15)
def faults(a):
    ctypes.string_at(8)
def aborts(a):
    os.abort()
def kills(a):
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(1)  # any thread may get it
    return a
def leaves(a):
    os._exit(9)
def unlocked(a):
    ctypes.CDLL(None).strlen(ctypes.c_void_p(8))  # without Python's lock
def imports(a):
    import nothing_of_this_name
def late(a):
    global calls
    calls += 1
    if calls > 2:
        raise RuntimeError("worn out")
    return 2 * a
def says(a):
    print("heard from the operator")
    return a
def doubles(a):
    return 2 * a
"""
FATAL = """
import crashing  # a module that takes the process with it
def first(a):
    return a
"""
# The operators that crash, and the name of the signal.
CRASHES = {
    "faults": "segmentation fault",
    "aborts": "abort",
    "unlocked": "segmentation fault",
    "kills": "segmentation fault",
    "first": "segmentation fault",
    "wild": "segmentation fault",
}
REASONS = {
    "refuses": "1 of 3-d is too much",
    "silent": "it returned 42",
    "chatty": "xxxxxxxx",
    "throws": "thrown",
    "throws_int": "it threw something that is not a std::exception",
    "gives_up": "not in Fortran",
    "raises": "ValueError: the wind is too strong (",
    "flat": "ValueError: it returned an array of the shape (",
    "words": "TypeError: it returned values of type <U4; expected numbers that float64 can hold",
    "nothing": "TypeError: it returned values of type object; expected numbers",
    "writes": "ValueError: assignment destination is read-only (",
    "keeps": "keeps keeps an array that it was given",
    "two": "TypeError: two() missing 1 required positional argument: 'b'",
    "exits": "SystemExit: 4",
    "endless": "RecursionError: maximum recursion depth exceeded",
    "greedy": "MemoryError: Unable to allocate",
    "not_python": "SyntaxError: '(' was never closed (broken.py, line 1)",
    "imports": "ModuleNotFoundError: No module named 'nothing_of_this_name' (",
}
FILES = {"first": "fatal.py", "not_python": "broken.py"}
LIBRARIES = {
    "refuses": "refusing",
    "wild": "refusing",
    "silent": "refusing",
    "chatty": "refusing",
    "throws": "throwing",
}
LIBRARIES |= {"throws_int": "throwing", "gives_up": "giving_up", "quits": "refusing", "stops": "giving_up"}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("failing")
    for name, text in SOURCES.items():
        (folder / name).write_text(text)
        compile_library(folder, folder / name)
    return folder


@pytest.fixture
def here(tmp_path, built):
    folder = tmp_path / "run"
    folder.mkdir()
    for path in built.glob("*.so"):
        (folder / path.name).symlink_to(path)
    (folder / "mine.py").write_text(PYTHON)
    (folder / "fatal.py").write_text(FATAL)
    (folder / "broken.py").write_text("def not_python(\n")
    (folder / "crashing.py").write_text("import ctypes\nctypes.string_at(8)\n")
    return folder


def operators(*names: str) -> dict:
    return {
        name: {"library": f"lib{LIBRARIES[name]}.so"} if name in LIBRARIES else {"python": FILES.get(name, "mine.py")}
        for name in names
    }


SERVE = servers(1, own_program=True, command=(sys.executable, "-m", "tailrace.cli", "serve"))


@pytest.mark.parametrize(
    "serving",
    [servers(1), servers(2), SERVE, attached(), inline()],
    ids=["1 server", "2 servers", "tailrace serve", "attached", "inline"],
)
def test_each_failure_is_reported_once_and_the_others_continue(job, here, serving):
    """All in one run, together with operators that work."""
    diagnostics = {name: f"{name}(u)" for name in REASONS} | {"good": "doubles(u)", "top": "max(doubles(v), y, x)"}
    diagnostics["odd_sum"] = "sum(raises(u), y, x) + doubles(v)"
    config = configuration(operators(*REASONS, "doubles"), diagnostics, on_error="skip", others=("u", "v"))
    result = run(job, here, 2, serving, config).finished()

    for name, reason in REASONS.items():
        told = [line for line in result.output.splitlines() if f'diagnostic "{name}" at step 1 ' in line]
        assert told, f"{name}: no message\n{result.output}"
        assert all("tailrace.yaml:" in line and f"{name}(u): " in line and reason in line for line in told), told
    data = read(result.path("out.nc"))
    u, v = expected(0), expected(1)
    np.testing.assert_array_equal(data["u"].values, u)
    np.testing.assert_array_equal(data["v"].values, v)
    np.testing.assert_array_equal(data["good"].values, 2 * u)
    np.testing.assert_array_equal(data["top"].values, 2 * v.max(axis=(2, 3)))
    for name in (*REASONS, "odd_sum"):
        assert data[name].shape[0] == len(u), name
        assert missing(data[name].values).all(), name


@pytest.mark.parametrize("name", ["silent", "throws", "gives_up", "raises", "flat", "exits"])
@pytest.mark.parametrize("count", [1, 2])
def test_with_stop_the_model_gets_the_message(job, here, name, count):
    config = configuration(operators(name, "doubles"), {"odd": f"{name}(u)", "good": "doubles(u)"}, on_error="stop")
    result = run(job, here, 2, servers(count), config)
    result.failed_with("tailrace.yaml:", 'diagnostic "odd" at step 1 ', f"{name}(u): ", REASONS[name])
    assert_whole_records(result)


def assert_whole_records(result):
    """The records of the file are correct; after an early end it need not have all steps."""
    data = read(result.path("out.nc"))
    u = expected(0)[: data.sizes[data["u"].dims[0]]]
    np.testing.assert_array_equal(data["u"].values, u)
    np.testing.assert_array_equal(data["good"].values, 2 * u)


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_what_was_computed_before_the_failure_is_kept(job, here, on_error):
    config = configuration(operators("late", "doubles"), {"odd": "late(u)", "good": "doubles(u)"}, on_error)
    result = run(job, here, 1, servers(1), config)
    if on_error == "stop":
        result.failed_with('diagnostic "odd" at step 3 ', "late(u): RuntimeError: worn out (")
        return assert_whole_records(result)
    assert 'diagnostic "odd" at step 3 ' in result.finished().output
    data = read(result.path("out.nc"))
    u = expected(0)
    np.testing.assert_array_equal(data["good"].values, 2 * u)
    np.testing.assert_array_equal(data["odd"].values[:2], 2 * u[:2])
    assert missing(data["odd"].values[2:]).all()
    return None


def test_a_failure_affects_only_its_file(job, here):
    """The diagnostic's own file has `skip`, so another file with `stop` does not end the run."""
    config = configuration(operators("raises", "doubles"), {"odd": "raises(u)"}, on_error="skip")
    config["diagnostics"]["good"] = {"is": "doubles(u)"}
    variable = {"field": "good", "time": "snapshot", "every": "1 step"}
    config["output"]["strict.nc"] = {"write_every": "1 step", "on_error": "stop", "variables": [variable]}
    result = run(job, here, 2, servers(2), config).finished()
    np.testing.assert_array_equal(read(result.path("strict.nc"))["good"].values, 2 * expected(0))


@pytest.mark.parametrize("name", ["quits", "stops", "leaves"])
@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=lambda one: one.mode)
def test_a_function_that_ends_the_process_ends_the_job(job, here, serving, name):
    """No rank can continue without that server, and none waits for it."""
    result = run(job, here, 2, serving, configuration(operators(name), {"odd": f"{name}(u)"}, on_error="skip"))
    assert result.status == 9, result.output


@pytest.mark.parametrize("name", CRASHES)
@pytest.mark.parametrize("serving", [servers(2), attached(), inline()], ids=lambda one: one.mode)
def test_a_crash_ends_the_server_with_the_names_of_the_operator_and_the_diagnostic(job, here, serving, name):
    """The process does not continue after such code has corrupted its memory; earlier commits are kept."""
    config = configuration(operators(name, "doubles"), {"odd": f"{name}(u)", "good": "doubles(u)"}, on_error="skip")
    result = run(job, here, 2, serving, config)
    assert result.status != 0, result.output
    crash = f"the process crashed ({CRASHES[name]}) in a user-defined operator"
    assert f'{crash} while it computed diagnostic "odd": {name}(u)' in result.output, result.output
    if result.path("out.nc").exists():
        assert_whole_records(result)


@pytest.mark.parametrize("serving", [servers(1), inline()], ids=lambda one: one.mode)
def test_what_a_function_prints_is_seen(job, here, serving):
    result = run(job, here, 1, serving, configuration(operators("says"), {"echo": "says(u)"})).finished()
    assert result.output.count("heard from the operator\n") == len(expected(0))


def test_a_python_without_numpy_is_a_failure_like_others(job, here):
    (here / "bare").mkdir()
    (here / "bare" / "numpy.py").write_text("raise ImportError('there is none')\n")
    config = configuration(operators("doubles"), {"odd": "doubles(u)"}, on_error="skip")
    result = run(job, here, 1, servers(1), config, PYTHONPATH=str(here / "bare")).finished()
    assert 'diagnostic "odd" at step 1 ' in result.output
    assert "doubles(u): ImportError: there is none (Python 3." in result.output
    assert f"{sys.prefix}/bin/python3; a server that is not a Python program uses that of VIRTUAL_ENV" in result.output
    np.testing.assert_array_equal(read(result.path("out.nc"))["u"].values, expected(0))
