"""Rows of weights by YAC (https://gitlab.dkrz.de/dkrz-sw/yac)."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from ..errors import INSTALL, MissingPackage, WeightsError, need
from ..grid_checks import check_convex, check_sides, without_overlaps
from ..grids import Cells, Grid
from ..polygons import Polygons, polygons_of, tiny_triangles
from ..reach import largest_radius, within_reach
from ..rows import Ints, Rows, rows_of_links, rows_of_one
from ..sphere import Floats, to_lat_lon, to_xyz

# A launcher leaves variables to the ranks that it starts. YAC's process is no rank: with them MPI would look for a
# job that does not know it.
OF_LAUNCHERS = ("OMPI_", "PMIX_", "PMI_", "PRTE_", "SLURM_", "MPIEXEC_", "HYDRA_", "MPI_LOCAL")
# For Open MPI: it starts no daemon and opens no network, since there is one process.
ALONE = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self"}
MISSING = f"the Python package yac is not installed: {INSTALL}"
DOES_NOT_LOAD = 3  # exit status of yac_process
MESSAGE = 600  # characters of what YAC printed


def is_there() -> bool:
    return importlib.util.find_spec("yac") is not None


def rows(source: Grid, target: Grid, method: str, first: int, count: int) -> tuple[Rows, str]:
    """Rows and YAC's version. `method`: conservative, bilinear or average."""
    if count == 0:
        return rows_of_one(first, np.zeros(0, np.int64)), "YAC"
    if method != "conservative" and isinstance(source, Cells):
        source = source.for_neighbours()
    cells = np.arange(first, first + count)
    lat, lon = target.centres(first, count)
    if method == "conservative":
        of_target = polygons_of(target, cells, f"method {method}")
        check_convex(target, cells, of_target)
        near = within_reach(source, to_xyz(lat, lon), largest_radius(target, first, count), rings=1.0)
    else:
        of_target = tiny_triangles(lat, lon)
        near = within_reach(source, to_xyz(lat, lon), 0.0, rings=4.0)
    if len(near) == 0:
        empty = np.zeros(0, np.int64)
        return rows_of_links(first, count, empty, empty, np.zeros(0)), "YAC"
    of_source = polygons_of(source, near, f"method {method}")
    check_convex(source, near, of_source)
    if isinstance(source, Cells):
        check_sides(source, near, of_source)
    with tempfile.TemporaryDirectory(prefix="tailrace-weights-") as name:
        folder = Path(name)
        _save(folder / "source.npz", of_source, to_lat_lon(source.points[near]))
        _save(folder / "target.npz", of_target, (lat, lon))
        (folder / "method").write_text(method)
        _run(folder, source, target)
        links = _links(folder / "weights.nc")
        version = (folder / "version").read_text().strip()
    of_rows = rows_of_links(first, count, links[0] + first, near[links[1]], links[2])
    if method == "conservative":
        of_rows = without_overlaps(source, target, of_rows)
    return of_rows, f"YAC {version}"


def _save(path: Path, polygons: Polygons, centres: tuple[Floats, Floats]) -> None:
    np.savez(
        path,
        count=polygons.count,
        vertex=polygons.vertex,
        lat=np.radians(polygons.lat),
        lon=np.radians(polygons.lon),
        parallels=polygons.parallels,
        centre_lat=np.radians(centres[0]),
        centre_lon=np.radians(centres[1]),
    )


def _run(folder: Path, source: Grid, target: Grid) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OF_LAUNCHERS)} | ALONE
    command = [sys.executable, "-P", "-m", "tailrace.weights.methods.yac_process", str(folder), str(os.getpid())]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
    )
    if done.returncode == DOES_NOT_LOAD:
        reason = done.stderr.strip().splitlines()[-1:] or ["no reason given"]
        raise MissingPackage(
            f"the Python package yac is installed, but does not load: {reason[0]}; {INSTALL}, and Open MPI's "
            "libmpi.so.40 if that is missing"
        )
    if done.returncode or not (folder / "weights.nc").exists():
        said = done.stderr.partition("-----")[0].strip() or done.stdout.strip() or f"exit status {done.returncode}"
        raise WeightsError(f"YAC cannot make weights from {source.name} to {target.name}: {said[-MESSAGE:]}")


def _links(path: Path) -> tuple[Ints, Ints, Floats]:
    """Target cells, source cells and weights of YAC's file, numbered from 0."""
    with need("netCDF4", "a file of weights").Dataset(path) as file:
        if file.getncattr("contains_links") != "TRUE":
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        numbers = [np.asarray(file.variables[f"{side}_address"][:], np.int64) - 1 for side in ("dst", "src")]
        return numbers[0], numbers[1], np.asarray(file.variables["remap_matrix"][:, 0], np.float64)
