"""The file of weights that servers read: SCRIP's layout in NetCDF-4, with rows (docs/formats/weights.md)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import WeightsError, need
from .grids import Grid
from .rows import Ints, Rows

MAP_METHODS = {
    "conservative": "Conservative remapping",
    "bilinear": "Bilinear remapping",
    "nearest": "Nearest neighbor remapping",
    "average": "Distance weighted averages of neighbors",
    "largest_area": "Largest area fraction",
}
AXES = ("lat", "lon")
BY_AREA = ("conservative", "largest_area")  # their weights are shares of areas
MOST_INT32 = 2**31 - 1
AT_ONCE = 1 << 20  # rows or links
CHUNK = 1 << 16


@dataclass
class Header:
    method: str
    digest: str
    made_by: str
    map_method: str = ""  # by default that of `method`


def write(path: Path, source: Grid, target: Grid, rows: Rows, header: Header, *, part: int = 0) -> None:
    """Writes rows, and for the slice `part` 0 the source grid: the parts joined make the file."""
    with created(path) as file:
        file.setncattr("tailrace_slice", np.array([rows.first, rows.count], np.int64))
        _write_grid(file, "dst", target, rows.first, rows.count)
        if part == 0:
            _write_grid(file, "src", source, 0, source.cells)
        _write_sizes(file, source, target, header)
        put = RowWriter(file, rows.count, rows.links, max(source.cells, target.cells))
        put.rows(rows)
        if part == 0 and rows.count == target.cells:
            finish(file)


@contextlib.contextmanager
def created(path: Path) -> Iterator[Any]:
    """A new file that gets its name when it is whole."""
    aside = path.with_name(f".{path.name}.{os.getpid()}.new")
    netcdf = need("netCDF4", "a file of weights")
    try:
        file = netcdf.Dataset(aside, "w", format="NETCDF4")
    except OSError as error:
        raise WeightsError(f"{path}: cannot be written: {error.strerror or error}") from None
    try:
        file.set_fill_off()
        yield file
        file.close()
        aside.replace(path)
    except (OSError, RuntimeError) as error:
        raise WeightsError(f"{path}: cannot be written: {error}") from None
    finally:
        with contextlib.suppress(RuntimeError):
            file.close()
        aside.unlink(missing_ok=True)


def _write_sizes(file: Any, source: Grid, target: Grid, header: Header) -> None:
    file.setncatts(
        {
            "Conventions": "SCRIP",
            "conventions": "SCRIP",  # as SCRIP and CDO spell it
            "title": f"{source.name} to {target.name}",
            "map_method": header.map_method or MAP_METHODS.get(header.method, header.method),
            "normalization": "destarea",
            "source_grid": source.name,
            "dest_grid": target.name,
            "tailrace_digest": header.digest,
            "tailrace_method": header.method,
            "tailrace_made_by": header.made_by,
            "tailrace_source_cells": np.int64(source.cells),
            "tailrace_target_cells": np.int64(target.cells),
        }
    )
    for side, grid in (("src", source), ("dst", target)):
        file.createDimension(f"{side}_grid_rank", len(grid.shape))
        dims = file.createVariable(f"{side}_grid_dims", "i4", (f"{side}_grid_rank",))
        dims[:] = np.array(grid.shape[::-1], np.int32)  # the fastest first, as in SCRIP


def variable_of(file: Any, name: str, kind: str, dims: tuple[str, ...], **attributes: str) -> Any:
    lengths = [len(file.dimensions[dim]) for dim in dims]
    chunks = [max(min(CHUNK, lengths[0]), 1), *lengths[1:]]
    variable = file.createVariable(name, kind, dims, zlib=True, complevel=1, shuffle=True, chunksizes=chunks)
    variable.setncatts(attributes)
    return variable


def _write_grid(file: Any, side: str, grid: Grid, first: int, count: int) -> None:
    """Centres, corners and areas, if the grid has them, in pieces."""
    size = f"{side}_grid_size"
    file.createDimension(size, count)
    centre = [variable_of(file, f"{side}_grid_center_{axis}", "f8", (size,), units="degrees") for axis in AXES]
    variable_of(file, f"{side}_grid_imask", "i4", (size,), units="unitless")[:] = np.ones(count, np.int32)
    some = grid.corners(0, 1)
    corner: list[Any] = []
    area = None
    if some is not None:
        dims = (size, f"{side}_grid_corners")
        file.createDimension(dims[1], some[0].shape[1])
        corner = [variable_of(file, f"{side}_grid_corner_{axis}", "f8", dims, units="degrees") for axis in AXES]
        area = variable_of(file, f"{side}_grid_area", "f8", (size,), units="square radians")
    for begin in range(0, count, AT_ONCE):
        span = slice(begin, min(begin + AT_ONCE, count))
        length = span.stop - begin
        for variable, values in zip(centre, grid.centres(first + begin, length), strict=True):
            variable[span] = values
        corners = grid.corners(first + begin, length)
        if corners is not None:
            for variable, values in zip(corner, corners, strict=True):
                variable[span] = values
        if area is not None:
            area[span] = grid.areas(first + begin, length)


def pieces_of(variable: Any) -> Iterator[np.ndarray]:
    for begin in range(0, len(variable), AT_ONCE):
        yield np.asarray(variable[begin : begin + AT_ONCE])


class RowWriter:
    def __init__(self, file: Any, count: int, links: int, most: int):
        for dim, length in (("num_links", links), ("num_wgts", 1), ("row_starts", count + 1)):
            file.createDimension(dim, length)
        kind = "i8" if most > MOST_INT32 else "i4"
        self.source = variable_of(file, "src_address", kind, ("num_links",))
        self.target = variable_of(file, "dst_address", kind, ("num_links",))
        self.weight = variable_of(file, "remap_matrix", "f8", ("num_links", "num_wgts"))
        self.start = variable_of(file, "row_start", "i8", ("row_starts",))
        self.links = self.row = 0
        self.start[0:1] = [0]

    def rows(self, rows: Rows) -> None:
        targets = rows.targets()
        for begin in range(0, rows.links, AT_ONCE):
            end = min(begin + AT_ONCE, rows.links)
            self._links(rows.source[begin:end] + 1, targets[begin:end] + 1, rows.weight[begin:end])
        self._starts(rows.start[1:])

    def slice_of(self, part: Any) -> None:
        before = self.links
        names = ("src_address", "dst_address", "remap_matrix")
        for pieces in zip(*(pieces_of(part.variables[name]) for name in names), strict=True):
            self._links(pieces[0], pieces[1], pieces[2][:, 0])
        self._starts(np.asarray(part.variables["row_start"][1:]) + before)

    def _links(self, source: Ints, target: Ints, weight: np.ndarray) -> None:
        span = slice(self.links, self.links + len(source))
        self.source[span], self.target[span], self.weight[span, 0] = source, target, weight
        self.links = span.stop

    def _starts(self, starts: Ints) -> None:
        self.start[self.row + 1 : self.row + 1 + len(starts)] = starts
        self.row += len(starts)


def _is_by_area(file: Any) -> bool:
    return file.getncattr("tailrace_method") in BY_AREA or "conservative" in file.getncattr("map_method").lower()


def finish(file: Any) -> None:
    """The fractions of both grids that the weights cover, which need all rows. Without areas to compare, a source cell
    that is used counts as covered."""
    if "tailrace_slice" in file.ncattrs():
        file.delncattr("tailrace_slice")
    for side in ("src", "dst"):
        variable_of(file, f"{side}_grid_frac", "f8", (f"{side}_grid_size",), units="unitless")
    target_frac, source_frac = (np.zeros(len(file.dimensions[f"{side}_grid_size"])) for side in ("dst", "src"))
    areas = None
    if _is_by_area(file) and {"src_grid_area", "dst_grid_area"} <= set(file.variables):
        areas = [np.asarray(file.variables[f"{side}_grid_area"][:]) for side in ("src", "dst")]
    names = ("src_address", "dst_address", "remap_matrix")
    for pieces in zip(*(pieces_of(file.variables[name]) for name in names), strict=True):
        source, target, weight = pieces[0].astype(np.int64) - 1, pieces[1].astype(np.int64) - 1, pieces[2][:, 0]
        target_frac += np.bincount(target, weights=weight, minlength=len(target_frac))
        if areas:
            covered = weight * areas[1][target] / areas[0][source]
            source_frac += np.bincount(source, weights=covered, minlength=len(source_frac))
        else:
            source_frac[source] = 1.0
    file.variables["dst_grid_frac"][:] = target_frac
    file.variables["src_grid_frac"][:] = source_frac
