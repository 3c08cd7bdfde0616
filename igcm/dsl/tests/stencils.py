"""Generates, compiles and calls kernels of igcm/dsl for the tests."""

import contextlib
import importlib.util
import io
import os
import subprocess
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace

import numpy as np
from stencilc import cli, output, parser, target
from stencilc.analysis import analyse

DSL = Path(__file__).resolve().parent.parent
KERNELS = {
    "icon": DSL / "kernels/icon.gg.c",
    "dynamico": DSL / "kernels/dynamico.gg.f90",
    "nicam": DSL / "kernels/nicam.gg.c",
}
TARGETS = ("serial", "openmp", "columns", "blocks", "cuda")
# As the strict build of igcm/kernels: no operations fused, so that bits are those of the order in the source.
FLAGS = ["-std=c11", "-O1", "-ffp-contract=off", "-fopenmp", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# Threads that wait do not spin: the tests share two cores. Read when the first library of threads is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(DSL)}


def stencilc(*arguments, cwd):
    """The command, within this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = cli.main([*map(str, arguments)])
    return SimpleNamespace(returncode=status, stdout=out.getvalue(), stderr=err.getvalue())


def source_of(text, name="s.gg.c"):
    return analyse(parser.parse(text, name, parser.language_of(name)))


def compile_library(folder: Path, *sources: str) -> Path:
    """CUDA as C++, whose threads follow each other."""
    library = folder / "libstencils.so"
    compiler = ["gcc", *FLAGS]
    if sources[0].endswith(".cu"):
        compiler = ["g++", "-std=c++17", *FLAGS[1:], "-x", "c++"]
    subprocess.run([*compiler, "-shared", *sources, "-o", library, "-lm"], cwd=folder, check=True, timeout=120)
    return library


def file_of_kernels(path: Path, code: str) -> str:
    """The generated file that has the functions."""
    stem = path.name.split(".")[0]
    if target.load(code).code == "cuda":
        return f"{stem}_stencils.cu"
    return f"{stem}.c" if path.suffix == ".c" else f"{stem}_stencils.c"


def module_of(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def analysis_of(source: str):
    return analyse(parser.read(str(KERNELS[source])))


@cache
def library(source: str, code: str):
    """The kernels of a source for a target, compiled."""
    path = KERNELS[source]
    folder = Path(mkdtemp(prefix=f"stencils_{source}_{code}_"))
    output.write(folder, output.files(analysis_of(source), target.load(code)))
    return module_of(folder / f"{source}_stencils.py").load(compile_library(folder, file_of_kernels(path, code)))


def call(kernels, name, grid, arrays):
    """Calls a kernel with arrays (level, point), and returns all that it writes, in this shape. The arrays stay."""
    values, stored = {}, {}
    for argument in kernels.functions[name]:
        given = arrays[argument.name]
        if argument.location in ("real", "int"):
            values[argument.name] = given
        elif argument.kind and argument.location != "column":
            stored[argument.name] = kernels.store(argument.location, np.asarray(given, np.float64))
        else:
            stored[argument.name] = np.array(given, np.float64, order="C")
    getattr(kernels, name)(grid, **values, **stored)
    results = {}
    for argument in kernels.functions[name]:
        if argument.written:
            shape, flat = np.shape(arrays[argument.name]), stored[argument.name]
            results[argument.name] = (
                kernels.load(argument.location, flat, shape) if argument.kind else flat.reshape(shape)
            )
    return results
