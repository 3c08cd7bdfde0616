"""Reads what a picture needs from a file of a run, while the run may write to it. The file is opened for reading only.

These functions run in a process of their own (`reader.py`): a damaged file can end a process that reads it.
"""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from tailrace.streams.errors import StreamError
from tailrace.streams.open import engine_of
from tailrace.streams.records import NewRecords, ends_of
from tailrace.streams.snapshots import NetcdfFile, ZarrStore
from tailrace.weights.errors import WeightsError

from .layout import Layout, View, grid_of, layout_of
from .raster import Raster, make_raster

ROWS, COLUMNS = 512, 1024  # of a picture; larger fields are thinned out
POINTS = 2000  # of a profile
RECORDS = 400  # of a curve in time: each one may be a chunk that must be read
MOST_CELLS = 30_000_000  # that are read for one picture
VARIABLES = 500  # of a file that are listed
TRIES, PAUSE = 6, 0.05  # a file that is being written may change between two reads
PASSING = (OSError, RuntimeError, ValueError, KeyError)
KEPT_RASTERS = 4


class PictureError(Exception):
    """Something cannot be drawn; the text says why."""


@dataclass(frozen=True)
class Request:
    """`at`: an index of each dim that is no axis; -1 and absent: the last record, or the first of other dims.
    `other`: the same file of another run, from which the difference is taken."""

    path: Path
    variable: str
    view: str
    at: dict[str, int] = field(default_factory=dict)
    other: Path | None = None


@contextmanager
def opened(path: Path) -> Iterator[NewRecords]:
    source = ZarrStore(path) if engine_of(path) == "zarr" else NetcdfFile(path)
    with source.open() as records:
        yield records


def _patiently(read):
    for tries_left in range(TRIES - 1, -1, -1):
        try:
            return read()
        except (StreamError, WeightsError) as error:
            raise PictureError(str(error)) from None
        except PASSING as error:
            if tries_left == 0:
                raise PictureError(f"cannot be read: {type(error).__name__}: {error}") from None
            time.sleep(PAUSE)
    raise AssertionError("unreachable")


def contents(path: Path) -> list[dict[str, Any]]:
    """The variables of a file that can be drawn, with their views. Raises PictureError."""

    def read() -> list[dict[str, Any]]:
        with opened(path) as records:
            found = (_described(records, str(name)) for name in records.raw.data_vars)
            return [one for one in found if one is not None][:VARIABLES]

    return _patiently(read)


def _described(records: NewRecords, name: str) -> dict[str, Any] | None:
    variable = records.raw[name]
    if variable.dtype.kind not in "iuf" or not variable.dims or name in _helpers(records.raw):
        return None
    layout = layout_of(records, name)
    views = [{"id": view.id, "kind": view.kind, "dims": view.dims} for view in layout.views()]
    if not views:
        return None
    attributes = variable.attrs
    return {
        "name": name,
        "long_name": str(attributes.get("long_name", attributes.get("standard_name", name))),
        "units": str(attributes.get("units", "")),
        "dims": [
            {"name": dim, "size": int(records.raw.sizes[dim]), "grows": dim in layout.growing} for dim in layout.dims
        ],
        "views": views,
    }


def _helpers(raw: xr.Dataset) -> set[str]:
    """Variables that only describe others: coordinates, bounds, and the parts of meshes."""
    found = {str(name) for name in raw.variables if name in raw.dims}
    for variable in raw.variables.values():
        for key in ("bounds", "climatology", "coordinates", "grid_mapping", "mesh", "node_coordinates"):
            found |= set(str(variable.attrs.get(key, "")).split())
        for key in variable.attrs:
            if key.endswith("_connectivity") or key.endswith("_coordinates"):
                found |= set(str(variable.attrs[key]).split())
        if "cf_role" in variable.attrs:
            found.add(str(variable.attrs.get("name", "")))
    return found


def picture(request: Request) -> bytes:
    """A header in JSON behind its length in 4 bytes, and the values as float32, all little-endian. The smallest, mean
    and largest value in the header are those of cells, each with the same weight. Raises PictureError."""

    def read() -> bytes:
        with opened(request.path) as records:
            drawn = Drawing(records, request)
            if request.other is None:
                return drawn.packed()
            with opened(request.other) as others:
                return drawn.minus(Drawing(others, request, drawn.times())).packed()

    return _patiently(read)


class Drawing:
    """One picture. `times`: the ends of the records that are drawn, of which another run's have other numbers."""

    def __init__(self, records: NewRecords, request: Request, times: dict[str, np.ndarray] | None = None):
        self.records, self.raw, self.request = records, records.raw, request
        if request.variable not in self.raw.data_vars:
            raise PictureError(f"{request.path.name}: there is no variable {request.variable!r} in it")
        self.variable = self.raw[request.variable]
        self.layout: Layout = layout_of(records, request.variable)
        self.view = self._chosen()
        self.index = self._index(times)
        self.at = {dim: one for dim, one in self.index.items() if isinstance(one, int)}
        self.raster: Raster | None = None
        self.values, self.axes = self._read()

    def _chosen(self) -> View:
        views = {view.id: view for view in self.layout.views()}
        if self.request.view not in views:
            raise PictureError(f"{self.request.variable} has no view {self.request.view!r} (known: {', '.join(views)})")
        return views[self.request.view]

    def _index(self, times: dict[str, np.ndarray] | None) -> dict[str, int | slice | np.ndarray]:
        """The part that is read along each dim."""
        found: dict[str, int | slice | np.ndarray] = {}
        for dim in self.layout.dims:
            size = self.raw.sizes[dim]
            if size == 0:
                raise PictureError(f"{self.request.variable} has no values yet: {dim} is empty")
            if times is not None and dim in times:
                found[dim] = self._same_times(dim, times[dim])
            elif dim in self.view.dims:
                found[dim] = self._thinned(dim, size)
            else:
                place = self.request.at.get(dim, -1 if dim in self.layout.growing else 0)
                if not -size <= place < size:
                    raise PictureError(f"{dim} has {size} entries; number {place} is not there")
                found[dim] = place % size
        return found

    def _thinned(self, dim: str, size: int) -> slice:
        if self.layout.is_cells and self.view.kind == "map":
            return slice(None)
        most = {"series": RECORDS, "profile": POINTS}.get(self.view.kind)
        if most is None:
            most = ROWS if dim == self.view.dims[0] else COLUMNS
        every = math.ceil(size / most)
        return slice((size - 1) % every, None, every)  # the last one is among them

    def times(self) -> dict[str, np.ndarray]:
        """The ends of the records that are drawn, by dim."""
        ends = {dim: ends_of(self.raw, dim) for dim in self.layout.growing}
        return {dim: np.atleast_1d(ends[dim][self.index[dim]]) for dim in ends}

    def _same_times(self, dim: str, times: np.ndarray) -> int | np.ndarray:
        ends = ends_of(self.raw, dim)
        near = np.array([int(np.abs(ends - one).argmin()) for one in times])
        same = np.isclose(ends[near], times, rtol=1e-9, atol=1e-6)
        if self.view.kind == "series":
            if not same.any():
                raise PictureError("the two runs have no record of the same time")
            return near[same]
        if not same[0]:
            raise PictureError(f"the other run has no record that ends at {dim} = {times[0]:g}")
        return int(near[0])

    def _read(self) -> tuple[np.ndarray, list[np.ndarray]]:
        part = self.variable.isel(self.index)
        if part.size > MOST_CELLS:
            raise PictureError(f"a picture of {part.size} cells is too large; expected at most {MOST_CELLS}")
        decoded = xr.decode_cf(part.to_dataset(name="v"), decode_times=False)["v"]
        axes = self.view.dims
        values = np.asarray(decoded.transpose(*axes).values, dtype=np.float64)
        if self.view.kind == "map" and self.layout.is_cells:
            self.raster = self._raster()
            return values, []
        return values, [self._coordinate(dim) for dim in axes]

    def _raster(self) -> Raster:
        path, stamp = self.request.path, self.request.path.stat()
        key = (str(path), stamp.st_ino, self.view.dims, self.variable.attrs.get("mesh"))
        if key not in _rasters:
            while len(_rasters) >= KEPT_RASTERS:
                _rasters.pop(next(iter(_rasters)))
            grid = grid_of(self.raw, self.request.variable)
            cells = int(np.prod([self.raw.sizes[dim] for dim in self.view.dims]))
            if grid.cells != cells:
                raise PictureError(f"{grid.name} has {grid.cells} cells, and {self.request.variable} {cells}")
            _rasters[key] = make_raster(grid)
        return _rasters[key]

    def _coordinate(self, dim: str) -> np.ndarray:
        index = self.index[dim]
        if dim in self.layout.growing:
            return np.asarray(ends_of(self.raw, dim)[index], dtype=np.float64)
        if dim in self.raw.variables and self.raw[dim].dtype.kind in "iuf":
            return np.asarray(self.raw[dim].values[index], dtype=np.float64)
        return np.arange(self.raw.sizes[dim], dtype=np.float64)[index]

    def minus(self, other: Drawing) -> Drawing:
        """The difference, of records that end at the same time."""
        mine, theirs = (str(one.variable.attrs.get("units", "")) for one in (self, other))
        if mine != theirs:
            raise PictureError(f"the units differ: {mine!r} and {theirs!r}")
        if self.view.kind == "series":
            same = np.isin(self.axes[0], other.axes[0])
            self.values, self.axes = self.values[same], [self.axes[0][same]]
        if self.values.shape != other.values.shape or any(
            not np.allclose(one, two) for one, two in zip(self.axes, other.axes, strict=True)
        ):
            raise PictureError("the two runs have this variable on different grids")
        self.values = self.values - other.values
        return self

    def packed(self) -> bytes:
        known = self.values[np.isfinite(self.values)]
        drawn = self.raster.draw(self.values) if self.raster else self.values
        axes = [self.raster.lat, self.raster.lon] if self.raster else self.axes
        header = {
            "variable": self.request.variable,
            "units": str(self.variable.attrs.get("units", "")),
            "kind": self.view.kind,
            "shape": drawn.shape,
            "axes": [
                {"name": dim, "units": self._units(dim), "values": [_number(one) for one in axis]}
                | {"down": self._attributes(dim).get("positive") == "down"}
                for dim, axis in zip(self._axis_names(), axes, strict=True)
            ],
            "at": [self._told(dim, place) for dim, place in self.at.items()],
            "smallest": _number(known.min()) if known.size else None,
            "mean": _number(known.mean()) if known.size else None,
            "largest": _number(known.max()) if known.size else None,
            "missing": int(self.values.size - known.size),
            "every": [one.step or 1 for one in self.index.values() if isinstance(one, slice)],
        }
        said = json.dumps(header).encode()
        with np.errstate(over="ignore"):  # what float32 cannot hold is drawn as missing
            values = drawn.astype("<f4")
        return struct.pack("<I", len(said)) + said + values.tobytes()

    def _axis_names(self) -> tuple[str, ...]:
        return ("lat", "lon") if self.raster else self.view.dims

    def _attributes(self, dim: str) -> dict[str, Any]:
        return self.raw[dim].attrs if dim in self.raw.variables else {}

    def _units(self, dim: str) -> str:
        if self.raster:
            return {"lat": "degrees_north", "lon": "degrees_east"}[dim]
        return str(self._attributes(dim).get("units", ""))

    def _told(self, dim: str, place: int) -> dict[str, Any]:
        size = self.raw.sizes[dim]
        text = f"{place}"
        if dim in self.raw.variables and self.raw[dim].dtype.kind in "iuf":
            value, units = self.raw[dim].values[place], str(self._attributes(dim).get("units", ""))
            text = _date(float(value), self.raw[dim].attrs) or f"{float(value):g} {units}".strip()
        return {"name": dim, "index": place, "size": int(size), "text": text, "grows": dim in self.layout.growing}


_rasters: dict[tuple, Raster] = {}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _date(value: float, attributes: dict[str, Any]) -> str | None:
    if " since " not in str(attributes.get("units", "")):
        return None
    try:
        import cftime

        calendar = str(attributes.get("calendar", "standard"))
        return str(cftime.num2date(value, str(attributes["units"]), calendar))
    except (ImportError, ValueError, OverflowError):  # no calendar, such as `none`
        return None
