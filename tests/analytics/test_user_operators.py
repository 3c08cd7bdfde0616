"""Operators of the user's own in C++, Fortran and Python give what NumPy gives; their failures stay theirs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.harness import BUILD, TREE, block_grid, field, indexed_grid, inline, model, servers
from support.reading import read
from support.values import put_values, varying_times

EXAMPLES = TREE / "examples" / "operators"
SHAPE = (3, 7, 11)
TIMES = varying_times(4, seed=5)
CPP = {
    "wind_speed": {"library": "libwind.so", "arguments": 2, "result": {"units": "m s-1"}},
    "first_above_mean": {
        "library": "libwind.so",
        "arguments": [["z", "y", "x"]],
        "needs_whole": ["z"],
        "result": {"dims": ["y", "x"], "units": "1"},
    },
}
FORTRAN = {"smooth": {"library": "libsmooth.so", "needs_whole": ["x"], "result": {"units": "same"}}}
PYTHON = {
    "wind_speed_py": {"python": "wind.py", "arguments": 2, "result": {"units": "m s-1"}},
    "column_median": {"python": "wind.py", "result": {"dims": ["y", "x"], "units": "same"}},
    "edges": {"python": "wind.py", "result": {"dims": [{"edge": 2}, "y", "x"], "units": "same"}},
}


def compile_library(folder: Path, source: Path) -> None:
    output = folder / f"lib{source.stem}.so"
    if source.suffix == ".f90":
        libraries = BUILD / "bindings" / "fortran"
        more = [f"-I{BUILD / 'include' / 'tailrace' / 'fortran'}", f"-L{libraries}", "-ltailrace_fortran"]
        command = ["gfortran", "-O2", "-shared", "-fPIC", str(source), *more, f"-Wl,-rpath,{libraries}"]
    else:
        command = ["g++", "-O2", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", str(source)]
        command += [f"-I{TREE / 'include'}"]
    done = subprocess.run([*command, "-o", str(output)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("operators")
    for name in ("wind.cpp", "smooth.f90"):
        compile_library(folder, EXAMPLES / name)
    return folder


@pytest.fixture
def here(tmp_path, built) -> Path:
    """A job's folder with the libraries and the Python file in it."""
    folder = tmp_path / "run"
    folder.mkdir()
    for path in (built / "libwind.so", built / "libsmooth.so", EXAMPLES / "wind.py"):
        (folder / path.name).symlink_to(path)
    return folder


def configuration(operators: dict, diagnostics: dict, on_error="stop") -> dict:
    variables = [{"field": name, "time": "snapshot", "every": "1 step"} for name in ("u", *diagnostics)]
    return {
        "fields": {"state": {"every": "1 step", "names": ["u", "v"]}},
        "operators": operators,
        "diagnostics": {name: {"is": text} for name, text in diagnostics.items()},
        "output": {"out.nc": {"write_every": "1 step", "on_error": on_error, "variables": variables}},
    }


def run(job, folder, ranks, serving, config, grid=None):
    fields = [field("u", "les", units="m s-1"), field("v", "les", units="m s-1")]
    player = model(ranks, grids=[grid or block_grid(shape=SHAPE)], fields=fields, times=TIMES)
    # The interpreter that a server starts is the one of this environment.
    return job(player, serving, config=config, folder=folder, environment={"VIRTUAL_ENV": sys.prefix})


def expected(number: int, shape=SHAPE) -> np.ndarray:
    return np.array([put_values(number, shape, time, step + 1) for step, time in enumerate(TIMES)])


def first_above_mean(values: np.ndarray) -> np.ndarray:
    above = values > values.mean(axis=1, keepdims=True)
    return np.where(above.any(axis=1), above.argmax(axis=1).astype(float), np.nan)


@pytest.mark.parametrize("ranks, serving", [(1, servers(1)), (3, servers(2)), (2, inline())], ids=str)
def test_three_languages_give_what_numpy_gives(job, here, ranks, serving):
    diagnostics = {
        "speed": "wind_speed(u, v)",
        "mean_speed": "mean(wind_speed(u, 2 * v), y, x)",
        "onset": "first_above_mean(u)",
        "smoothed": "smooth(u)",
        "speed_py": "wind_speed_py(u, v)",
        "median": "column_median(v)",
        "rim": "edges(u)",
    }
    result = run(job, here, ranks, serving, configuration(CPP | FORTRAN | PYTHON, diagnostics)).finished()

    data = read(result.path("out.nc"))
    u, v = expected(0), expected(1)
    np.testing.assert_array_equal(data["u"].values, u)
    np.testing.assert_allclose(data["speed"].values, np.hypot(u, v), rtol=1e-15)
    np.testing.assert_allclose(data["mean_speed"].values, np.hypot(u, 2 * v).mean(axis=(2, 3)), rtol=1e-14)
    np.testing.assert_array_equal(data["onset"].values, first_above_mean(u))
    smooth = (np.roll(u, 1, axis=3) + u + np.roll(u, -1, axis=3)) / 3
    np.testing.assert_allclose(data["smoothed"].values, smooth, rtol=1e-15)
    np.testing.assert_allclose(data["speed_py"].values, np.hypot(u, v), rtol=1e-15)
    np.testing.assert_array_equal(data["median"].values, np.median(v, axis=1))
    np.testing.assert_array_equal(data["rim"].values, u[:, [0, -1]])
    assert data["speed"].attrs["units"] == data["smoothed"].attrs["units"] == "m s-1"
    assert data["rim"].dims[1:] == ("edge", "y", "x")


def test_cells_of_an_indexed_grid(job, here):
    config = configuration(PYTHON, {"speed": "wind_speed_py(u, v)"})
    grid = indexed_grid("les")
    data = read(run(job, here, 3, servers(1), config, grid).finished().path("out.nc"))
    shape = tuple(grid["shape"])
    np.testing.assert_allclose(data["speed"].values, np.hypot(expected(0, shape), expected(1, shape)), rtol=1e-15)


FAILING = """
import numpy as np
kept = []
def boom(a):
    raise ValueError("the wind is too strong")
def flat(a):
    return a.ravel()
def words(a):
    return np.full(a.shape, "calm")
def writes(a):
    a[...] = 0
    return a
def keeps(a):
    kept.append(a)
    return a
"""


@pytest.mark.parametrize(
    "name, why",
    [
        ("boom", ["ValueError: the wind is too strong", "mine.py:5)"]),
        ("flat", ["ValueError: it returned an array of the shape (231,), but (3, 7, 11) is declared"]),
        ("words", ["TypeError: it returned values of type <U4; expected numbers that float64 can hold"]),
        ("writes", ["ValueError: assignment destination is read-only", "mine.py:11)"]),
        ("keeps", ["keeps keeps an array that it was given"]),
        ("gone", ["LookupError:", 'mine.py has no function "gone"']),
    ],
)
def test_a_failing_function_in_python_ends_the_run_with_its_reason(job, here, name, why):
    (here / "mine.py").write_text(FAILING)
    config = configuration({name: {"python": "mine.py"}}, {"odd": f"{name}(u)"})
    result = run(job, here, 1, servers(1), config)
    result.failed_with('diagnostic "odd" at step 1', f"{name}(u): ", *why)


def test_a_failure_leaves_the_other_diagnostics_alone(job, here):
    (here / "mine.py").write_text("import nothing_of_this_name\n")
    operators = {"broken": {"python": "mine.py"}} | CPP
    diagnostics = {"odd": "broken(u)", "speed": "wind_speed(u, v)", "onset": "first_above_mean(u)"}
    result = run(job, here, 2, servers(1), configuration(operators, diagnostics, on_error="skip")).finished()
    assert "ModuleNotFoundError: No module named 'nothing_of_this_name'" in result.output
    data = read(result.path("out.nc"))
    np.testing.assert_allclose(data["speed"].values, np.hypot(expected(0), expected(1)), rtol=1e-15)
    np.testing.assert_array_equal(data["onset"].values, first_above_mean(expected(0)))
    assert "odd" not in data or not np.isfinite(data["odd"].values[data["odd"].values < 1e30]).any()


@pytest.mark.parametrize("on_error", ["stop", "skip"])
def test_an_exception_in_cpp_is_the_reason(job, here, on_error):
    diagnostics = {"odd": "first_above_mean(u)", "speed": "wind_speed(u, v)"}
    config = configuration(CPP, diagnostics, on_error)
    result = run(job, here, 2, servers(1), config, block_grid(shape=(1, 7, 11)))
    why = "first_above_mean(u): a column of one level has nothing above its mean"
    if on_error == "stop":
        result.failed_with('diagnostic "odd" at step 1', why)
    else:
        assert why in result.finished().output


@pytest.mark.parametrize(
    "operators, text, why",
    [
        ({"f": {"library": "libwind.so"}}, "f(u)", ["operators.f: the library", 'has no function "f"']),
        ({"f": {"library": "libgone.so"}}, "f(u)", ["operators.f: the library cannot be loaded:", "libgone.so"]),
        ({"f": {"python": "gone.py"}}, "f(u)", ["operators.f: there is no file ./gone.py"]),
        ({"mean": {"library": "libwind.so"}}, "u", ['operators.mean: "mean" is built in; give the operator another']),
        ({"f": {}}, "u", ["operators.f: expected either `library` or `python`"]),
        (CPP, "wind_speed(u)", ["takes 2 arguments, not 1"]),
        (CPP, "wind_speed(u, v, x)", ["wind_speed takes 2 arguments, not 3"]),
        (CPP, "wind_sped(u, v)", ['there is no function "wind_sped". Did you mean "wind_speed"?']),
        (
            CPP,
            "first_above_mean(mean(u, z))",
            ["argument 1 of first_above_mean is declared with the dimensions (z, y, x), but this has (y, x)"],
        ),
        (
            {"edges": {"python": "wind.py", "result": {"dims": ["edge", "y", "x"]}}},
            "edges(u)",
            ['the result of edges is declared with the dimension "edge", which no argument has; a new one needs'],
        ),
    ],
)
def test_mistakes_are_told_before_the_run(job, here, operators, text, why):
    result = run(job, here, 1, servers(1), configuration(operators, {"d": text}))
    result.failed_with(*why)


def test_the_decorator_calls_as_a_server_does():
    from tailrace.operators import operator

    @operator
    def doubles(a):
        return 2 * a

    @operator
    def writes(a):
        a[...] = 0
        return a

    values = np.arange(6).reshape(2, 3)
    np.testing.assert_array_equal(doubles(values), 2 * values)
    with pytest.raises(ValueError, match="read-only"):
        writes(values.astype(float))
    with pytest.raises(TypeError, match="operator named: arguments come by position alone, which key does not"):

        @operator
        def named(a, *, key):
            return a
