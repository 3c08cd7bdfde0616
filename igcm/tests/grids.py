"""Runs the programs of igcm in the build, and reads the grids that they write."""

import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import BUILD

IGCM = BUILD / "igcm"
PROGRAMS = {"make_grid": IGCM / "grid" / "make_grid", "convergence": IGCM / "grid" / "convergence"} | {
    name: IGCM / "tests" / f"igcm_{name}" for name in ("identities", "layouts", "fortran_view")
}


def run(program: str, *arguments: object, status: int = 0) -> str:
    path = PROGRAMS[program]
    if not path.exists():
        pytest.fail(f"{path} is not built: run ./quickstart build")
    done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{program}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Grid:
    """The arrays of a file as attributes, with the names of igcm/grid/grid.hpp."""

    def __init__(self, path: Path):
        with netCDF4.Dataset(path) as data:
            data.set_auto_mask(False)
            self.names = [name for name in data.variables if name != "mesh"]
            for name in self.names:
                setattr(self, name, data[name][...])
            self.radius = float(data.sphere_radius)
            self.centroids = data.cell_centre_is == "centroid"
            self.side = int(data.grid_root) << int(data.grid_level)


def made(folder: Path, name: str, *options: object) -> Grid:
    path = folder / f"{name}{''.join(map(str, options))}.nc"
    run("make_grid", name, path, *options)
    return Grid(path)


def numbers(text: str) -> dict[str, float]:
    return {name: float(value) for name, value in (line.split() for line in text.splitlines())}


def keys(*arrays: np.ndarray) -> list[tuple]:
    """Rows of numbers without their order, as tuples."""
    return [tuple(sorted(row)) for row in np.stack(arrays, axis=-1).tolist()]
