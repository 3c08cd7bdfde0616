"""User-defined operators in C++, C, Fortran and Python agree with NumPy in all modes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from analytics.support.user_operators import (
    CPP,
    EXAMPLES,
    FORTRAN,
    PYTHON,
    C,
    compile_library,
    configuration,
    expected,
    first_above_mean,
    player,
    run,
)
from support.harness import (
    BUILD,
    CONFIGURATION,
    MPI,
    PLAYER,
    TREE,
    attached,
    block_grid,
    indexed_grid,
    inline,
    mpi_environment,
    mpirun_command,
    servers,
    tailrace,
    write_configuration,
)
from support.reading import read

INSTALLED = Path(os.environ.get("TAILRACE_INSTALLED", TREE / "build" / "install"))
SERVE = (sys.executable, "-m", "tailrace.cli", "serve")


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("operators")
    for name in ("wind.cpp", "departure.c", "smooth.f90"):
        compile_library(folder, EXAMPLES / name)
    return folder


@pytest.fixture
def here(tmp_path, built) -> Path:
    """A job's folder with the libraries and the Python file in it."""
    folder = tmp_path / "run"
    folder.mkdir()
    for path in (*built.glob("*.so"), EXAMPLES / "wind.py"):
        (folder / path.name).symlink_to(path)
    return folder


@pytest.mark.parametrize(
    "ranks, serving",
    [
        (1, servers(1)),
        (3, servers(2)),
        (2, servers(2, threads=3)),
        (2, servers(1, own_program=True)),
        (1, servers(1, own_program=True, command=SERVE)),
        (2, attached()),
        (2, inline()),
    ],
    ids=["1+1", "3+2", "threads", "serving player", "tailrace serve", "attached", "inline"],
)
def test_four_languages_agree_with_numpy(job, here, ranks, serving):
    diagnostics = {
        "speed": "wind_speed(u, v)",
        "mean_speed": "mean(wind_speed(u, 2 * v), y, x)",
        "onset": "first_above_mean(u)",
        "from_mean": "departure(u)",
        "smoothed": "smooth(u)",
        "speed_py": "wind_speed_py(u, v)",
        "median": "column_median(v)",
        "rim": "edges(u)",
        "nested": "column_median(smooth(departure(wind_speed_py(u, v))))",
    }
    result = run(job, here, ranks, serving, configuration(CPP | C | FORTRAN | PYTHON, diagnostics)).finished()

    data = read(result.path("out.nc"))
    u, v = expected(0), expected(1)
    np.testing.assert_array_equal(data["u"].values, u)
    np.testing.assert_allclose(data["speed"].values, np.hypot(u, v), rtol=1e-15)
    np.testing.assert_allclose(data["mean_speed"].values, np.hypot(u, 2 * v).mean(axis=(2, 3)), rtol=1e-14)
    np.testing.assert_array_equal(data["onset"].values, first_above_mean(u))
    np.testing.assert_allclose(data["from_mean"].values, departure(u), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(data["smoothed"].values, smooth(u), rtol=1e-15)
    np.testing.assert_allclose(data["speed_py"].values, np.hypot(u, v), rtol=1e-15)
    np.testing.assert_array_equal(data["median"].values, np.median(v, axis=1))
    np.testing.assert_array_equal(data["rim"].values, u[:, [0, -1]])
    nested = np.median(smooth(departure(np.hypot(u, v))), axis=1)
    np.testing.assert_allclose(data["nested"].values, nested, rtol=1e-12, atol=1e-12)
    assert data["speed"].attrs["units"] == data["smoothed"].attrs["units"] == "m s-1"
    assert data["rim"].dims[1:] == ("edge", "y", "x")


def smooth(values: np.ndarray) -> np.ndarray:
    return (np.roll(values, 1, axis=3) + values + np.roll(values, -1, axis=3)) / 3


def departure(values: np.ndarray) -> np.ndarray:
    return values - values.mean(axis=3, keepdims=True)


def test_cells_of_an_indexed_grid(job, here):
    config = configuration(PYTHON, {"speed": "wind_speed_py(u, v)"})
    grid = indexed_grid("les")
    data = read(run(job, here, 3, servers(1), config, grid).finished().path("out.nc"))
    shape = tuple(grid["shape"])
    np.testing.assert_allclose(data["speed"].values, np.hypot(expected(0, shape), expected(1, shape)), rtol=1e-15)


ROWS = """
import numpy as np
def rows(a):
    assert a.dtype == np.float64 and a.flags.c_contiguous
    assert not (a.flags.owndata or a.flags.writeable)  # the server's own memory
    circle = [a]
    circle.append(circle)  # is not kept, though it ends only when Python looks for such
    return np.full(a.shape, a.shape[1])
"""


def test_a_function_sees_blocks_or_the_whole_as_it_declares(job, here):
    """Three ranks split y: without `needs_whole` a call gets a part of it, with it the whole."""
    (here / "mine.py").write_text(ROWS)
    here_only = {"python": "mine.py:rows"}
    operators = {"parts": here_only, "whole": here_only | {"needs_whole": ["y"]}}
    grid = block_grid(shape=(2, 9, 4), split=("y",))
    result = run(job, here, 3, servers(1), configuration(operators, {"a": "parts(u)", "b": "whole(u)"}), grid)
    data = read(result.finished().path("out.nc"))
    assert (data["a"].values == 3).all()
    assert (data["b"].values == 9).all()


MODEL = """
import numpy as np
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="plane") as io:
    if not io.is_server():
        comm = io.model_comm()
        io.grid("plane", dims=["y", "x"], shape=[4 * comm.size, 5], offset=[4 * comm.rank, 0], count=[4, 5])
        for name in ("u", "v"):
            io.field(name, grid="plane", units="m s-1")
        io.ready()
        for step in range(1, 6):
            io.step(step, float(step))
            io.put("u", np.full((4, 5), float(step + comm.rank)))
            slot = io.acquire("v")
            slot[:] = step
            io.publish("v")
"""


@pytest.mark.parametrize("mode", ["attached", "inline", "dedicated", "tailrace run"])
def test_a_model_in_python_and_its_servers_share_the_interpreter(tmp_path, mode):
    (tmp_path / "model.py").write_text(MODEL)
    shutil.copy(EXAMPLES / "wind.py", tmp_path)
    config = configuration(PYTHON, {"speed": "wind_speed_py(u, v)", "top": "max(column_median(u))"})
    config["operators"]["column_median"]["result"] = {"dims": ["x"], "units": "same"}
    of_run = mode == "tailrace run"
    serving = servers(1) if of_run or mode == "dedicated" else attached() if mode == "attached" else inline()
    write_configuration(tmp_path / "run.yaml", config, serving)
    script = [sys.executable, "model.py"]
    if of_run:
        done = tailrace("run", "-n", "2", "--servers", "1", "run.yaml", "--", *script, cwd=tmp_path, timeout=100)
    else:
        command = ["mpirun", "-n", "3" if mode == "dedicated" else "2", *script]
        kept = dict(env=mpi_environment(), cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        done = subprocess.run(command, timeout=100, **kept)
    assert done.returncode == 0, done.stdout + done.stderr
    data = read(tmp_path / "out.nc")
    steps = np.arange(1.0, 6.0)
    u = np.repeat(np.stack([steps, steps + 1], axis=1), 4, axis=1)[..., None] * np.ones(5)
    np.testing.assert_allclose(data["speed"].values, np.hypot(u, steps[:, None, None]), rtol=1e-15)
    np.testing.assert_allclose(data["top"].values, steps + 0.5)


@pytest.mark.skipif(MPI != "openmpi", reason="the PATH that it sets leads to the default MPI")
def test_servers_of_a_plain_program_find_the_python_of_tailrace_run(monkeypatch, here):
    """No environment is active and PATH has another Python: the command passes its own on."""
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    config = configuration(PYTHON, {"median": "column_median(v)"})
    write_configuration(here / CONFIGURATION, config, servers(1))
    mpirun_command([player(1)], servers(1), here)  # writes the scenario
    done = tailrace("run", "-n", "2", CONFIGURATION, "--", str(PLAYER), "scenario0.json", cwd=here, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    np.testing.assert_array_equal(read(here / "out.nc")["median"].values, np.median(expected(1), axis=1))


@pytest.mark.parametrize(
    "operators, text, why",
    [
        ({"f": {"library": "libwind.so"}}, "f(u)", [":14  operators.f.library: the library", 'has no function "f"']),
        ({"smoth": {"library": "libgone.so"}}, "u", ["operators.smoth.library: the library cannot be loaded:"]),
        ({"f": {"library": "wind.py"}}, "u", ["operators.f.library: the library cannot be loaded:", "wind.py"]),
        ({"f": {"python": "gone.py"}}, "f(u)", ["operators.f.python: there is no file ./gone.py"]),
        (
            {"edge": {"python": "wind.py"}},
            "u",
            ['operators.edge.python: ./wind.py has no function "edge". Did you mean "edges"? (known: column_median,'],
        ),
        ({"mean": {"library": "libwind.so"}}, "u", ['operators.mean: "mean" is built in; give the operator another']),
        ({"f": {}}, "u", ["operators.f: expected either `library` or `python`"]),
        ({"f": {"libary": "x.so"}}, "u", ["operators.f.libary: this key is unknown.", 'Did you mean "library"?']),
        ({"f": {"library": "libwind.so", "arguments": 0}}, "u", ["operators.f.arguments"]),
        ({"f": {"library": "libwind.so", "arguments": {"a": 1}}}, "u", ["operators.f.arguments"]),
        ({"f": {"library": "libwind.so", "result": {"dims": 3}}}, "u", ["operators.f.result.dims"]),
        (
            {"f": {"library": "libwind.so", "arguments": [["z", "y"]], "needs_whole": ["yy"]}},
            "u",
            ['operators.f.needs_whole: no argument has a dimension "yy". Did you mean "y"? (known: y, z)'],
        ),
        (CPP, "wind_speed(u)", ["diagnostics.d.is: wind_speed takes 2 arguments, not 1"]),
        (CPP, "wind_speed(u, v, x)", ["diagnostics.d.is: wind_speed takes 2 arguments, not 3"]),
        (CPP, "wind_sped(u, v)", ['there is no function "wind_sped". Did you mean "wind_speed"?']),
        (
            CPP,
            "first_above_mean(mean(u, z))",
            ["argument 1 of first_above_mean is declared with the dimensions (z, y, x), but this has (y, x)"],
        ),
        (FORTRAN, "smooth(mean(u, x))", ['smooth needs the dimension "x" whole (needs_whole), which no argument has']),
        (
            {"edges": {"python": "wind.py", "result": {"dims": ["edge", "y", "x"]}}},
            "edges(u)",
            ['the result of edges is declared with the dimension "edge", which no argument has; a new one needs'],
        ),
    ],
)
def test_mistakes_are_reported_before_the_run(job, here, operators, text, why):
    result = run(job, here, 1, servers(1), configuration(operators, {"d": text}))
    result.failed_with("tailrace.yaml:", *why)
    assert not result.path("out.nc").exists()


def test_a_function_in_fortran_without_bind_c_is_recognised(tmp_path):
    (tmp_path / "plain.f90").write_text("subroutine plain()\nend subroutine plain\n")
    compile_library(tmp_path, tmp_path / "plain.f90")
    write_configuration(tmp_path / "run.yaml", configuration({"plain": {"library": "libplain.so"}}, {}), servers(1))
    done = tailrace("check", "run.yaml", cwd=tmp_path)
    assert done.returncode == 2
    assert 'has no function "plain", but "plain_"' in done.stderr
    assert "bind(c) in Fortran" in done.stderr


def test_the_examples_build_alone_with_the_installed_package(job, here, tmp_path):
    for command in (["-S", EXAMPLES, "-B", "build", f"-DCMAKE_PREFIX_PATH={INSTALLED}"], ["--build", "build"]):
        done = subprocess.run(["cmake", *command], cwd=tmp_path, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stdout + done.stderr
    for name in ("libwind.so", "libdeparture.so", "libsmooth.so"):
        (here / name).unlink()
        (here / name).symlink_to(tmp_path / "build" / name)
    diagnostics = {"speed": "wind_speed(u, v)", "from_mean": "departure(u)", "smoothed": "smooth(u)"}
    result = run(job, here, 1, servers(1), configuration(CPP | C | FORTRAN, diagnostics)).finished()
    np.testing.assert_allclose(read(result.path("out.nc"))["smoothed"].values, smooth(expected(0)), rtol=1e-15)


def test_check_reports_operators_without_a_model(here):
    write_configuration(here / "run.yaml", configuration(CPP | PYTHON, {"speed": "wind_speed(u, v)"}), servers(1))
    assert tailrace("check", "run.yaml", cwd=here).returncode == 0
    (here / "libwind.so").unlink()
    done = tailrace("check", "run.yaml", cwd=here)
    assert done.returncode == 2
    assert done.stderr.count("the library cannot be loaded") == 2


def test_without_the_plugin_the_message_says_what_is_needed(job, here):
    libraries = here / "elsewhere"
    libraries.mkdir()
    shutil.copy(BUILD / "bindings" / "c" / "libtailrace.so.0", libraries)
    config = configuration(PYTHON, {"speed": "wind_speed_py(u, v)"})
    result = run(job, here, 1, servers(1), config, LD_LIBRARY_PATH=str(libraries))
    result.failed_with(
        "operators in Python need a Tailrace that was built with TAILRACE_PYTHON=ON", "beside the library"
    )


def test_the_decorator_calls_like_a_server():
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
    with pytest.raises(TypeError, match="operator named: arguments are positional only, but key is not"):

        @operator
        def named(a, *, key):
            return a
