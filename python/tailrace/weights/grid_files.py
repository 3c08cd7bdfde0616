"""Grids of NetCDF files: HEALPix by its grid mapping, SCRIP, UGRID, and CF with one- or two-dimensional coordinates.

`tailrace check` finds the grid of a file by the same rules (src/settings/grid_files.cpp).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .errors import WeightsError
from .grids import Cells, Grid, Healpix, LatLon
from .reading import degrees_of, opened, safely, text_of, values_of
from .sphere import Floats, to_lat_lon, to_xyz

NAMES = {"latitude": ("lat", "latitude", "nav_lat"), "longitude": ("lon", "longitude", "nav_lon")}


def read_grid(path: Path) -> Grid:
    """Blocks. Raises WeightsError with the path."""
    return safely(path, _read)


def _read(path: Path) -> Grid:
    with opened(path) as file:
        name = f"grid of {path}"
        for variable in file.variables.values():
            if text_of(variable, "grid_mapping_name") == "healpix":
                return healpix_of(variable)
        if "grid_center_lat" in file.variables:
            return _scrip(file, name)
        for variable in file.variables.values():
            if text_of(variable, "cf_role") == "mesh_topology":
                return mesh_of(file, variable, name)
        return grid_by_coordinates(file, name)


def healpix_of(mapping: Any) -> Healpix:
    """The grid of a variable with the grid_mapping_name healpix."""
    has = mapping.ncattrs()
    sides = next((name for name in ("healpix_nside", "nside") if name in has), None)
    if "refinement_level" in has:
        level = float(np.ravel(mapping.getncattr("refinement_level"))[0])
    elif sides:
        with np.errstate(all="ignore"):
            level = float(np.log2(np.ravel(mapping.getncattr(sides))[0]))
    else:
        raise WeightsError(f"grid mapping {mapping.name} is HEALPix, but has no refinement_level")
    if not level.is_integer():
        raise WeightsError(f"grid mapping {mapping.name}: {level} is no level of HEALPix")
    order = text_of(mapping, "indexing_scheme") or text_of(mapping, "healpix_order")
    if order not in ("nested", "nest", "ring"):
        raise WeightsError(
            f"grid mapping {mapping.name}: the indexing_scheme {order!r} is unknown; expected nested or ring"
        )
    return Healpix(int(level), "ring" if order == "ring" else "nested")


def _scrip(file: Any, name: str) -> Cells:
    lat, lon = (degrees_of(file, f"grid_center_{axis}", 1) for axis in ("lat", "lon"))
    corners: list[Floats | None] = [None, None]
    if "grid_corner_lat" in file.variables:
        corners = [degrees_of(file, f"grid_corner_{axis}", 2) for axis in ("lat", "lon")]
    shape: tuple[int, ...] = (len(lat),)
    if "grid_dims" in file.variables:
        shape = tuple(int(length) for length in values_of(file, "grid_dims", 1)[::-1])  # the fastest first in SCRIP
    if np.prod(shape) != len(lat) or min(shape) < 1 or len(shape) > 2:
        raise WeightsError(f"grid_dims {shape[::-1]} do not fit the {len(lat)} cells of grid_center_lat")
    return Cells(shape, lat, lon, *corners, name=name)


def mesh_of(file: Any, topology: Any, name: str) -> Cells:
    """UGRID 1.0: nodes and faces."""
    faces_name, nodes_name = (text_of(topology, what) for what in ("face_node_connectivity", "node_coordinates"))
    connectivity = values_of(file, faces_name, 2) if faces_name else None
    nodes = nodes_name.split()
    if connectivity is None or len(nodes) != 2:
        raise WeightsError(f"mesh {topology.name} has no face_node_connectivity or no two node_coordinates")
    lat_name, lon_name = _sorted_pair(file, nodes)
    lat, lon = degrees_of(file, lat_name, 1), degrees_of(file, lon_name, 1)
    if text_of(topology, "face_dimension") == file.variables[faces_name].dimensions[1]:
        connectivity = connectivity.T
    corner = _corners_of_faces(file.variables[faces_name], connectivity, len(lat))
    lat_corners, lon_corners = lat[corner], lon[corner]
    centres = text_of(topology, "face_coordinates").split()
    if len(centres) == 2:
        places = [degrees_of(file, one, 1) for one in _sorted_pair(file, centres)]
    else:
        distinct = np.concatenate((np.ones((len(corner), 1), bool), np.diff(corner, axis=1) != 0), axis=1)
        places = list(to_lat_lon(np.sum(to_xyz(lat_corners, lon_corners) * distinct[:, :, None], axis=1)))
    return Cells((len(corner),), places[0], places[1], lat_corners, lon_corners, name=name)


def _corners_of_faces(variable: Any, connectivity: np.ndarray, nodes: int) -> np.ndarray:
    """Numbers of nodes from 0; the last one repeated where a face has fewer."""
    start = int(np.ravel(variable.getncattr("start_index"))[0]) if "start_index" in variable.ncattrs() else 0
    missing = ~np.isfinite(connectivity.astype(np.float64))
    if "_FillValue" in variable.ncattrs():
        missing |= connectivity == variable.getncattr("_FillValue")
    number = np.where(missing, 0, connectivity).astype(np.int64) - np.where(missing, 0, start)
    bad = np.argwhere(~missing & ((number < 0) | (number >= nodes)))
    if len(bad):
        face, which = (int(index) for index in bad[0])
        raise WeightsError(
            f"cell {face} has the node {connectivity[face, which]}, which is out of range (there are {nodes})"
        )
    few = np.flatnonzero((~missing).sum(axis=1) < 3)
    if len(few):
        raise WeightsError(f"cell {int(few[0])} has fewer than 3 nodes")
    last = (~missing).sum(axis=1) - 1
    if (np.argsort(missing, axis=1, kind="stable") != np.arange(missing.shape[1])).any():
        number = np.take_along_axis(number, np.argsort(missing, axis=1, kind="stable"), axis=1)
    return np.where(np.arange(number.shape[1]) > last[:, None], number[np.arange(len(number)), last][:, None], number)


def _sorted_pair(file: Any, names: list[str]) -> tuple[str, str]:
    """Latitude and longitude of two variables, which UGRID names in any order."""
    for name in names:
        if name not in file.variables:
            raise WeightsError(f"there is no variable {name}, which the mesh names")
    first, second = names
    return (first, second) if _is(file.variables[first], "latitude") else (second, first)


def _is(variable: Any, standard_name: str) -> bool:
    """CF 4.1 and 4.2."""
    if not isinstance(variable.dtype, np.dtype) or variable.dtype.kind not in "iuf":
        return False
    own = text_of(variable, "standard_name")
    if own:
        return own == standard_name
    units = text_of(variable, "units").lower()
    return units.startswith("degree") and units.partition("_")[2].startswith(
        "n" if standard_name == "latitude" else "e"
    )


def _coordinate(file: Any, standard_name: str) -> Any:
    for variable in file.variables.values():
        if _is(variable, standard_name):
            return variable
    for name in NAMES[standard_name]:
        if name in file.variables:
            return file.variables[name]
    known = ", ".join(file.variables) or "none"
    raise WeightsError(
        f"has no variable with the standard_name {standard_name}, no mesh of UGRID and no grid of SCRIP; "
        f"its variables: {known}"
    )


def grid_by_coordinates(file: Any, name: str) -> Grid:
    lat, lon = _coordinate(file, "latitude"), _coordinate(file, "longitude")
    values = [degrees_of(file, one.name) for one in (lat, lon)]
    if lat.ndim == lon.ndim == 1 and lat.dimensions != lon.dimensions:
        return LatLon(*values, *(_bounds(file, one) for one in (lat, lon)), name=name)
    if lat.dimensions != lon.dimensions or lat.ndim not in (1, 2):
        raise WeightsError(
            f"{lat.name} and {lon.name} are not along the same one or two dimensions: {lat.dimensions} and "
            f"{lon.dimensions}"
        )
    corners = [_bounds(file, one) for one in (lat, lon)]
    if corners[0] is None or corners[1] is None:
        corners = [None, None]
    flat = [None if one is None else one.reshape(lat.size, -1) for one in corners]
    return Cells(lat.shape, values[0].ravel(), values[1].ravel(), *flat, name=name)


def _bounds(file: Any, coordinate: Any) -> Floats | None:
    """(..., corner), or None. Bounds have the units of their coordinate where they have none (CF 7.1)."""
    name = text_of(coordinate, "bounds")
    if not name:
        return None
    bounds = values_of(file, name, coordinate.ndim + 1).astype(np.float64)
    if bounds.shape[:-1] != coordinate.shape or (coordinate.ndim == 1 and bounds.shape[-1] < 2):
        raise WeightsError(f"bounds {name} have the shape {bounds.shape}, which does not fit {coordinate.name}")
    units = text_of(file.variables[name], "units") or text_of(coordinate, "units")
    return np.degrees(bounds) if units.lower().startswith("rad") else bounds
