"""Reads the grids of a request of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .errors import WeightsError
from .grids import Cells, Grid, Healpix, LatLon, gaussian
from .sphere import Floats


def grid_of(spec: dict[str, Any], what: str) -> Grid:
    """`what`: source or target, for messages."""
    match spec.get("kind"):
        case "latlon":
            return _lat_lon(spec)
        case "gaussian":
            return gaussian(int(spec["number"]))
        case "healpix":
            return Healpix(int(spec["level"]), spec["order"])
        case "cells":
            return _cells(spec, what)
        case "file":
            from .grid_files import read_grid

            return read_grid(Path(spec["path"]))
        case other:
            raise WeightsError(f"{what}: there is no kind {other!r} of grids")


def _lat_lon(spec: dict[str, Any]) -> LatLon:
    lat, lon = (np.asarray(spec[name], np.float64) for name in ("lat", "lon"))
    return LatLon(
        lat,
        lon,
        _bounds(spec.get("lat_bounds"), len(lat), "lat_bounds"),
        _bounds(spec.get("lon_bounds"), len(lon), "lon_bounds"),
        bool(spec.get("lat_first", True)),
    )


def _bounds(values: Any, count: int, what: str) -> Floats | None:
    """Pairs, in a list of lists or one behind the other, or count + 1 edges."""
    if values is None or len(values) == 0:
        return None
    bounds = np.asarray(values, np.float64)
    if bounds.size == 2 * count:
        return bounds.reshape(count, 2)
    if bounds.size == count + 1:
        return np.stack((bounds[:-1], bounds[1:]), axis=1)
    raise WeightsError(f"{what} has {bounds.size} values for {count} cells; expected {2 * count}")


def _cells(spec: dict[str, Any], what: str) -> Cells:
    """Puts the cells of the parts of a model together."""
    cells, corners = int(spec["cells"]), int(spec.get("corners") or 0)
    lat, lon = np.full(cells, np.nan), np.full(cells, np.nan)
    lat_corners = np.full((cells, corners), np.nan) if corners else None
    lon_corners = np.full((cells, corners), np.nan) if corners else None
    for folder in map(Path, spec["parts"]):
        numbers = np.fromfile(folder / "id.i64", np.int64)
        outside = np.flatnonzero((numbers < 0) | (numbers >= cells))
        if len(outside):
            raise WeightsError(f"{what}: cell {int(numbers[outside[0]])} of a part is out of range (0 to {cells - 1})")
        lat[numbers] = _values(folder / "lat.f64", len(numbers))
        lon[numbers] = _values(folder / "lon.f64", len(numbers))
        if lat_corners is not None and lon_corners is not None:
            lat_corners[numbers] = _values(folder / "lat_corners.f64", len(numbers) * corners).reshape(-1, corners)
            lon_corners[numbers] = _values(folder / "lon_corners.f64", len(numbers) * corners).reshape(-1, corners)
    shape = tuple(spec.get("shape") or [cells])
    return Cells(shape, lat, lon, lat_corners, lon_corners, name=what)


def _values(path: Path, count: int) -> Floats:
    values = np.fromfile(path, np.float64)
    if len(values) != count:
        raise WeightsError(f"{path}: {len(values)} values; expected {count}")
    return values
