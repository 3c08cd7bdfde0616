"""Shared by the tests of user-defined operators: compiled libraries, jobs, and expected results."""

import copy
import subprocess
import sys
from pathlib import Path

import numpy as np

from support.harness import BUILD, TREE, block_grid, field, model
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
C = {"departure": {"library": "libdeparture.so", "needs_whole": ["x"], "result": {"units": "same"}}}
FORTRAN = {"smooth": {"library": "libsmooth.so", "needs_whole": ["x"], "result": {"units": "same"}}}
PYTHON = {
    "wind_speed_py": {"python": "wind.py", "arguments": 2, "result": {"units": "m s-1"}},
    "column_median": {"python": "wind.py", "result": {"dims": ["y", "x"], "units": "same"}},
    "edges": {"python": "wind.py", "result": {"dims": [{"edge": 2}, "y", "x"], "units": "same"}},
}


def compile_library(folder: Path, source: Path) -> Path:
    output = folder / f"lib{source.stem}.so"
    strict = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{TREE / 'include'}"]
    if source.suffix == ".f90":
        libraries = BUILD / "bindings" / "fortran"
        command = ["gfortran", *strict, f"-I{BUILD / 'include' / 'tailrace' / 'fortran'}", str(source)]
        command += [f"-L{libraries}", "-ltailrace_fortran", f"-Wl,-rpath,{libraries}"]
    elif source.suffix == ".c":
        command = ["gcc", "-std=c99", "-pedantic", *strict, str(source)]
    else:
        command = ["g++", "-std=c++20", *strict, str(source)]
    done = subprocess.run([*command, "-o", str(output)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


def configuration(operators: dict, diagnostics: dict, on_error="stop", others=("u",)) -> dict:
    variables = [{"field": name, "time": "snapshot", "every": "1 step"} for name in (*others, *diagnostics)]
    return {
        "fields": {"state": {"every": "1 step", "names": ["u", "v"]}},
        "operators": copy.deepcopy(operators),  # since some tests change it
        "diagnostics": {name: {"is": text} for name, text in diagnostics.items()},
        "output": {"out.nc": {"write_every": "1 step", "on_error": on_error, "variables": variables}},
    }


def player(ranks: int, grid=None):
    fields = [field("u", "les", units="m s-1"), field("v", "les", units="m s-1")]
    return model(ranks, grids=[grid or block_grid(shape=SHAPE)], fields=fields, times=TIMES)


def run(job, folder: Path, ranks: int, serving, config: dict, grid=None, **environment: str):
    # A server starts the interpreter of this environment.
    environment = {"VIRTUAL_ENV": sys.prefix} | environment
    return job(player(ranks, grid), serving, config=config, folder=folder, environment=environment, timeout=100)


def expected(number: int, shape=SHAPE) -> np.ndarray:
    """The values of the model's field with this number, at all steps."""
    return expected_at(number, shape, TIMES)


def expected_at(number: int, shape, times) -> np.ndarray:
    return np.array([put_values(number, shape, time, step + 1) for step, time in enumerate(times)])


def first_above_mean(values: np.ndarray) -> np.ndarray:
    above = values > values.mean(axis=1, keepdims=True)
    return np.where(above.any(axis=1), above.argmax(axis=1).astype(float), np.nan)


def missing(values: np.ndarray) -> np.ndarray:
    """Tells which values are missing: NaN, or NetCDF's fill value."""
    return ~(np.abs(values) < 1e36)
