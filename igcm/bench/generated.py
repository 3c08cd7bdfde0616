#!/usr/bin/env python3
"""The speed of the kernels that stencilc generates, in double precision, on the meshes of kernels.py: of the same
sizes, and for ICON's kernels with the same numbers of neighbours. benchmarks/igcm.py compares them with those by hand.

    mpirun -n RANKS generated.py FOLDER HALO_LIBRARY KERNEL    prints the seconds of a call of code with MPI

Seconds are the processor's, divided by the number of threads or ranks, as those by hand are.
"""

import ctypes
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import netCDF4
import numpy as np

HERE = Path(__file__).resolve().parent
DSL = HERE.parent / "dsl"
sys.path[:0] = [str(HERE), str(DSL), str(DSL / "tests")]

import cases  # noqa: E402
import kernels as by_hand  # noqa: E402
import meshes  # noqa: E402
from stencilc import output, parser, target  # noqa: E402
from stencilc.analysis import analyse  # noqa: E402
from stencils import file_of_kernels, module_of  # noqa: E402

# As the fast build of igcm/kernels.
FLAGS = ["-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-std=c11", "-fopenmp", "-fPIC", "-shared"]
SOURCES = {"icon": "icon.gg.c", "dynamico": "dynamico.gg.f90", "nicam": "nicam.gg.c"}
# The generated functions that do what a program by hand does.
FUNCTIONS = {
    "icon_vertical_integration": ("icon", ["vertical_integration"]),
    "icon_divergence": ("icon", ["divergence"]),
    "icon_gradient": ("icon", ["gradient"]),
    "icon_laplacian": ("icon", ["neighbour_mean"]),
    "icon_weighted": ("icon", ["weighted_gradient"]),
    "icon_mixed": ("icon", ["mixed_neighbours"]),
    "comp_pvort": ("dynamico", ["pvort"]),
    "comp_geopot": ("dynamico", ["geopotential"]),
    "comp_caldyn_horiz": ("dynamico", ["caldyn_horiz"]),
    "comp_caldyn_vert": ("dynamico", ["caldyn_vert"]),
    "dyn_diffusion": ("nicam", ["diffusion"]),
    "dyn_divdamp": ("nicam", ["divdamp"]),
    "dyn_horiz_adv_flux": ("nicam", ["horizontal_flux"]),
    "dyn_horiz_adv_limiter": ("nicam", ["limiter_bounds", "limiter_apply"]),
    "dyn_vert_adv_limiter": ("nicam", ["vertical_limiter"]),
    "dyn_vi_rhow_solver": ("nicam", ["vi_rhow_solver"]),
}
SWITCHES = {"eta_mass": 1, "energy": 1, "boussinesq": 0}  # the defaults of the programs by hand
CALLS = 7


def compile_for(folder: Path, source: str, code: str) -> None:
    """Into FOLDER/SOURCE_CODE."""
    path = DSL / "kernels" / SOURCES[source]
    where = folder / f"{source}_{code}"
    output.write(where, output.files(analyse(parser.read(str(path))), target.load(code)))
    command = ["gcc", *FLAGS, file_of_kernels(path, code), "-o", "libstencils.so", "-lm"]
    subprocess.run(command, cwd=where, check=True)


def library(folder: Path, source: str, code: str):
    where = folder / f"{source}_{code}"
    return module_of(where / f"{source}_stencils.py").load(where / "libstencils.so")


def save_sheet(build: Path, folder: Path) -> None:
    """The numbers of neighbours of ICON's sheet, from the program by hand."""
    sizes = by_hand.LARGE["sheet"] | {"H": 3, "save-input": folder / "sheet.nc"}
    by_hand.seconds(build, "icon_mixed", "c++", sizes, 1, 1)


def seconds_by_hand(build: Path, program: str, language: str, threads: int) -> float:
    """The time of a call, in double precision."""
    family = by_hand.KERNELS[program].family
    sizes = by_hand.LARGE[family] | ({"precision": "double"} if family == "sheet" else {})
    return by_hand.seconds(build, program, language, sizes, CALLS, threads)


def bytes_of(program: str) -> float:
    """Bytes that a call moves, in double precision; places in the tables of the sheet count as numbers do."""
    kernel = by_hand.KERNELS[program]
    return kernel.bytes(by_hand.LARGE[kernel.family]) * (2 if kernel.family == "sheet" else 1)


def grids_of(folder: Path, program: str) -> list:
    """One handle for each call."""
    family = by_hand.KERNELS[program].family
    sizes = by_hand.LARGE[family]
    if family == "sheet":
        with netCDF4.Dataset(folder / "sheet.nc") as file:
            arrays = {name: file[name][:].astype(np.int32) for name in ("neighbor", "cedge", "ecell")}
        return [meshes.triangles(arrays, sizes["H"])]
    if family == "rhombus":
        return [cases.rhombus(sizes["iim"], sizes["jjm"], sizes["llm"])]
    walls = "limiter" if program == "dyn_horiz_adv_limiter" else "flux"
    side, levels = 2 ** sizes["gl"] + 2, sizes["kall"]
    return [meshes.Region(side, levels, singular=True, walls=walls).grid for _ in range(sizes["regions"])]


@dataclass
class Call:
    """A function with its arguments as the library takes them; changed: arrays that it writes, with what they held."""

    function: object
    values: list
    changed: list


def arrays_of(kernels, name: str, grid) -> dict:
    arrays = cases.values(kernels.functions, name, grid, 0)
    return arrays | {key: value for key, value in SWITCHES.items() if key in arrays}


class Prepared:
    """All calls of a program, whose grids and arrays it keeps."""

    def __init__(self, kernels, names: list[str], grids: list, arrays=arrays_of):
        self.grids, self.calls, self.kept = grids, [], []
        for grid in grids:
            for name in names:
                self.calls.append(self.call(kernels, name, grid, arrays(kernels, name, grid)))

    def call(self, kernels, name: str, grid, arrays: dict) -> Call:
        values, changed = [ctypes.byref(grid.handle)], []
        for argument in kernels.functions[name]:
            given = arrays[argument.name]
            if argument.location not in ("real", "int"):
                if argument.kind and argument.location != "column":
                    given = kernels.store(argument.location, given)
                given = np.array(given, np.float64, order="C").ravel()
                self.kept.append(given)
                if argument.written:
                    changed.append((given, given.copy()))
            values.append(kernels.value(name, grid, argument, given))
        return Call(getattr(kernels.library, name), values, changed)

    def seconds(self, threads: int) -> float:
        """The mean time of a call; what it changes gets its values back before each."""
        ctypes.CDLL("libgomp.so.1").omp_set_num_threads(threads)
        total = 0.0
        for _ in range(CALLS):
            for call in self.calls:
                for array, before in call.changed:
                    array[...] = before
            start = time.process_time()
            for call in self.calls:
                if status := call.function(*call.values):
                    raise SystemExit(f"generated.py: a kernel returned {status}")
            total += time.process_time() - start
        return total / CALLS / threads


def owners(grid, ranks: int) -> dict:
    """Runs of cells; edges and vertices belong to the cell that has them in its row, or to an edge's first cell."""
    cells = grid.counts["cell"]
    result = {name: np.arange(count) % cells * ranks // cells for name, count in grid.counts.items()}
    if grid.mesh.name == "triangles":
        result["edge"] = result["cell"][grid.tables["edge.cell"][0]]
    return result


def rank_main(folder: Path, halo: Path, program: str) -> None:
    from mpi4py import MPI
    from stencilc.parts import Part

    comm = MPI.COMM_WORLD
    source, names = FUNCTIONS[program]
    kernels = library(folder, source, "mpi")
    parts = [Part(grid, owners(grid, comm.size), comm.rank, kernels.steps) for grid in grids_of(folder, program)]
    for part in parts:
        part.connect(comm, halo)
    calls = Prepared(kernels, names, [part.grid for part in parts])
    comm.barrier()
    seconds = comm.allreduce(calls.seconds(1)) / comm.size
    if comm.rank == 0:
        print(seconds)


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    rank_main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
