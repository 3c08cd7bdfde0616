"""Joins the slices of a file of weights."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from .canonical import RowWriter, created, finish, pieces_of, variable_of
from .errors import WeightsError, need


def join(paths: list[Path], path: Path, digest: str) -> None:
    """Joins slices, in ascending order of their cells, into one file that covers the target."""
    netcdf = need("netCDF4", "a file of weights")
    with contextlib.ExitStack() as stack:
        parts = [stack.enter_context(netcdf.Dataset(one)) for one in paths]
        if len(parts) == 1 and not digest:
            digest = str(parts[0].getncattr("tailrace_digest"))
        _check_parts(paths, parts)
        cells = int(parts[0].getncattr("tailrace_target_cells"))
        links = sum(len(one.dimensions["num_links"]) for one in parts)
        file = stack.enter_context(created(path))
        _copy_grids(file, parts, cells)
        for name in parts[0].ncattrs():
            if name != "tailrace_slice":
                file.setncattr(name, parts[0].getncattr(name))
        file.setncattr("tailrace_digest", digest)
        for side in ("src", "dst"):
            _copy_dims(file, parts[0], side)
        put = RowWriter(file, cells, links, max(cells, len(parts[0].dimensions["src_grid_size"])))
        for one in parts:
            put.slice_of(one)
        finish(file)


def _check_parts(paths: list[Path], parts: list[Any]) -> None:
    next_ = 0
    for path, one in zip(paths, parts, strict=True):
        whole = (0, len(one.dimensions["dst_grid_size"]))  # of a single slice, which is the file
        first, count = one.getncattr("tailrace_slice") if "tailrace_slice" in one.ncattrs() else whole
        if first != next_:
            raise WeightsError(f"{path}: begins at target cell {first}; expected {next_}: a slice is missing or twice")
        next_ = int(first + count)
    cells = int(parts[-1].getncattr("tailrace_target_cells"))
    if next_ != cells:
        raise WeightsError(f"{paths[-1]}: ends before target cell {next_}; expected {cells}: a slice is missing")


def _copy_grids(file: Any, parts: list[Any], cells: int) -> None:
    for side, sources, length in (("src", parts[:1], len(parts[0].dimensions["src_grid_size"])), ("dst", parts, cells)):
        size = f"{side}_grid_size"
        file.createDimension(size, length)
        if f"{side}_grid_corners" in sources[0].dimensions:
            file.createDimension(f"{side}_grid_corners", len(sources[0].dimensions[f"{side}_grid_corners"]))
        for name, variable in sources[0].variables.items():
            if variable.dimensions[0] != size or name.endswith("_frac"):
                continue
            attributes = {key: variable.getncattr(key) for key in variable.ncattrs()}
            copy = variable_of(file, name, variable.dtype, variable.dimensions, **attributes)
            at = 0
            for one in sources:
                for values in pieces_of(one.variables[name]):
                    copy[at : at + len(values)] = values
                    at += len(values)


def _copy_dims(file: Any, part: Any, side: str) -> None:
    values = part.variables[f"{side}_grid_dims"][:]
    file.createDimension(f"{side}_grid_rank", len(values))
    file.createVariable(f"{side}_grid_dims", "i4", (f"{side}_grid_rank",))[:] = values
