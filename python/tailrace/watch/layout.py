"""The views of a variable: which of its dims are horizontal, which one is vertical, which ones grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from tailrace.streams.records import NewRecords
from tailrace.weights import grid_files
from tailrace.weights.errors import WeightsError
from tailrace.weights.grids import Grid

VERTICAL = ("height", "altitude", "depth", "air_pressure", "model_level_number", "atmosphere_sigma_coordinate")
EASTWARD = ("longitude", "grid_longitude", "projection_x_coordinate")
VERTICAL_NAMES = ("z", "zn", "height", "lev", "level", "plev", "depth", "altitude")


@dataclass(frozen=True)
class View:
    """A kind of picture of a variable, and the dims that become its axes, the first one upwards."""

    kind: str  # map, section, profile or series
    dims: tuple[str, ...]

    @property
    def id(self) -> str:
        return ":".join((self.kind, *self.dims))


@dataclass(frozen=True)
class Layout:
    dims: tuple[str, ...]
    growing: tuple[str, ...]
    vertical: str | None
    horizontal: tuple[str, ...]  # (y, x), or the one of cells, or none
    is_cells: bool  # of a mesh, HEALPix or a curvilinear grid: drawn at the nearest cell

    def views(self) -> Iterator[View]:
        if len(self.horizontal) == 2 or self.is_cells:
            yield View("map", self.horizontal)
        if self.vertical:
            if not self.is_cells:
                for dim in reversed(self.horizontal):
                    yield View("section", (self.vertical, dim))
            yield View("profile", (self.vertical,))
        elif len(self.horizontal) == 1 and not self.is_cells:
            yield View("profile", self.horizontal)
        for dim in self.growing:
            yield View("series", (dim,))


def layout_of(records: NewRecords, name: str) -> Layout:
    raw = records.raw
    dims = tuple(str(dim) for dim in raw[name].dims)
    growing = tuple(dim for dim in dims if dim in records.dims)
    rest = [dim for dim in dims if dim not in growing]
    cells = cell_dims(raw, name)
    if cells:
        rest = [dim for dim in rest if dim not in cells]
    vertical = next((dim for dim in rest if is_vertical(raw, dim)), None)
    if vertical is None and cells and rest:
        vertical = rest[-1]  # levels without a coordinate
    flat = cells or tuple(dim for dim in rest if dim != vertical)[-2:]
    if len(flat) == 2 and not cells and is_eastward(raw, flat[0]) and not is_eastward(raw, flat[1]):
        flat = flat[::-1]  # a map has x to the right, however the file orders its dims
    return Layout(dims, growing, vertical, flat, bool(cells))


def is_eastward(raw: xr.Dataset, dim: str) -> bool:
    attributes = raw[dim].attrs if dim in raw.variables else {}
    return attributes.get("axis") == "X" or attributes.get("standard_name") in EASTWARD


def is_vertical(raw: xr.Dataset, dim: str) -> bool:
    if dim not in raw.variables:
        return dim in VERTICAL_NAMES
    attributes = raw[dim].attrs
    if "axis" in attributes:
        return attributes["axis"] == "Z"
    return (
        "positive" in attributes
        or attributes.get("standard_name") in VERTICAL
        or ("standard_name" not in attributes and dim in VERTICAL_NAMES)
    )


class _Variable:
    """As netCDF4 shows one, for `weights.grid_files`."""

    def __init__(self, name: str, variable: xr.Variable):
        self.name, self._variable = name, variable
        self.dimensions, self.shape, self.ndim = variable.dims, variable.shape, variable.ndim
        self.dtype, self.size = variable.dtype, variable.size

    def ncattrs(self) -> list[str]:
        return list(self._variable.attrs)

    def getncattr(self, name: str) -> Any:
        return self._variable.attrs[name]

    def __getitem__(self, key: Any) -> np.ndarray:
        return self._variable[key].values


class _File:
    def __init__(self, raw: xr.Dataset, names: list[str]):
        self.variables = {name: _Variable(name, raw.variables[name]) for name in names if name in raw.variables}


def _mapping_of(raw: xr.Dataset, name: str) -> str | None:
    """The grid mapping of a variable on HEALPix."""
    named = str(raw[name].attrs.get("grid_mapping", "")).split(":")[0].strip()
    is_healpix = named in raw.variables and raw[named].attrs.get("grid_mapping_name") == "healpix"
    return named if is_healpix else None


def _cell_coordinates(raw: xr.Dataset, name: str) -> list[str]:
    """Those that the variable names, along dims of its own that are not themselves latitude or longitude."""
    named = str(raw[name].attrs.get("coordinates", "")).split()
    standard = ("latitude", "longitude")
    found = [one for one in named if one in raw.variables and raw[one].attrs.get("standard_name") in standard]
    return found if len(found) == 2 else []


def cell_dims(raw: xr.Dataset, name: str) -> tuple[str, ...]:
    """The dims of the cells of a mesh, of HEALPix, or of a grid with coordinates along both dims; else ()."""
    variable = raw[name]
    mapping = _mapping_of(raw, name)
    if mapping:
        return (str(variable.dims[-1]),)
    mesh = str(variable.attrs.get("mesh", ""))
    if mesh in raw.variables and variable.attrs.get("location", "face") == "face":
        return (str(variable.dims[-1]),)
    coordinates = _cell_coordinates(raw, name)
    if coordinates and set(raw[coordinates[0]].dims) <= set(variable.dims):
        return tuple(str(dim) for dim in raw[coordinates[0]].dims)
    return ()


def grid_of(raw: xr.Dataset, name: str) -> Grid:
    """The grid of the cells. Raises WeightsError."""
    mapping = _mapping_of(raw, name)
    if mapping:
        return grid_files.healpix_of(_Variable(mapping, raw.variables[mapping]))
    mesh = str(raw[name].attrs.get("mesh", ""))
    if mesh in raw.variables:
        attributes = raw[mesh].attrs
        named = [str(attributes.get(key, "")) for key in ("face_node_connectivity", "node_coordinates")]
        nodes = [node for node in named[1].split() if node in raw.variables]
        if not any("degree" in str(raw[node].attrs.get("units", "")) for node in nodes):
            raise WeightsError(f"the nodes of the mesh {mesh} have no longitudes and latitudes")
        names = [*named[0].split(), *nodes, *str(attributes.get("face_coordinates", "")).split()]
        return grid_files.mesh_of(_File(raw, names), _Variable(mesh, raw.variables[mesh]), mesh)
    return grid_files.grid_by_coordinates(_File(raw, _cell_coordinates(raw, name)), name)
