"""Rows of weights by CDO, where YAC is not installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from ..checks import rows_of_file
from ..errors import WeightsError, need
from ..foreign import read_weights
from ..grids import Grid, LatLon
from ..lifetime import end_with_parent
from ..rows import Rows
from ..sphere import Floats

OPERATORS = {"conservative": "gencon", "bilinear": "genbil"}
MESSAGE = 600


def makes(source: Grid, method: str) -> bool:
    """CDO interpolates between the centres of grids with two dims only."""
    known = method == "conservative" or (method == "bilinear" and len(source.shape) == 2)
    return known and shutil.which("cdo") is not None


def rows(source: Grid, target: Grid, method: str, first: int, count: int) -> tuple[Rows, str]:
    with tempfile.TemporaryDirectory(prefix="tailrace-weights-") as name:
        folder = Path(name)
        grids = [_describe(folder / "source", source), _describe(folder / "target", target)]
        command = ["cdo", "-s", "-f", "nc4", f"{OPERATORS[method]},{grids[1]}", f"-const,1,{grids[0]}"]
        environment = dict(os.environ, CDO_REMAP_NORM="destarea", REMAP_EXTRAPOLATE="off")
        done = subprocess.run(
            [*command, str(folder / "weights.nc")],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=partial(end_with_parent, os.getpid()),
        )
        if done.returncode:
            said = (done.stderr.strip() or f"exit status {done.returncode}")[-MESSAGE:]
            raise WeightsError(f"CDO cannot make weights from {source.name} to {target.name}: {said}")
        foreign = read_weights(folder / "weights.nc")
        whole = rows_of_file(foreign)
    return whole.part(first, count), foreign.made_by


def _describe(path: Path, grid: Grid) -> Path:
    """A description for CDO where edges are parallels, otherwise a grid of SCRIP, whose edges are great circles."""
    if isinstance(grid, LatLon) and grid.lat_first:
        path.write_text(_lat_lon(grid))
        return path
    corners = grid.corners()
    with need("netCDF4", "a grid of SCRIP").Dataset(path, "w", format="NETCDF4") as file:
        file.createDimension("grid_size", grid.cells)
        file.createDimension("grid_rank", len(grid.shape))
        file.createVariable("grid_dims", "i4", ("grid_rank",))[:] = np.array(grid.shape[::-1], np.int32)
        file.createVariable("grid_imask", "i4", ("grid_size",))[:] = np.ones(grid.cells, np.int32)
        for axis, values in zip(("lat", "lon"), grid.centres(), strict=True):
            _put(file, f"grid_center_{axis}", ("grid_size",), values)
        if corners is not None:
            file.createDimension("grid_corners", corners[0].shape[1])
            for axis, values in zip(("lat", "lon"), corners, strict=True):
                _put(file, f"grid_corner_{axis}", ("grid_size", "grid_corners"), values)
    return path


def _put(file, name: str, dims: tuple[str, ...], values: Floats) -> None:
    variable = file.createVariable(name, "f8", dims)
    variable.units = "degrees"
    variable[:] = values


def _lat_lon(grid: LatLon) -> str:
    def line(name: str, values: Floats) -> str:
        text = f"{name} = " + " ".join(f"{value:.17g}" for value in np.ravel(values))
        return re.sub(r"(.{1,2000})(?: |$)", r"\1\n", text)  # CDO's lines have an end

    return "".join(
        (
            f"gridtype = lonlat\nxsize = {len(grid.lon)}\nysize = {len(grid.lat)}\n",
            line("xvals", grid.lon),
            line("yvals", grid.lat),
            line("xbounds", np.stack((grid.west, grid.east), axis=1)),
            line("ybounds", np.stack((grid.south, grid.north), axis=1)),
        )
    )
