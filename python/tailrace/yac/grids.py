"""A grid of this component: its cells are dealt out to the processes, and are declared to YAC and to Tailrace.

Cells and their corners have their numbers in the whole grid as global ids.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.weights.errors import WeightsError
from tailrace.weights.grids import Cells, Grid, Healpix, LatLon
from tailrace.weights.requests import grid_of

from .errors import CouplingError
from .vertices import polygons_of_part

LATITUDE = {"units": "degrees_north", "standard_name": "latitude", "long_name": "latitude"}
LONGITUDE = {"units": "degrees_east", "standard_name": "longitude", "long_name": "longitude"}


class OwnGrid:
    """The part of process `rank` of `size`. `name`: in YAC and in Tailrace; `place`: in the configuration."""

    def __init__(self, name: str, entry: dict[str, Any], rank: int, size: int):
        self.name, self.place = name, entry["place"]
        try:
            self.grid: Grid = grid_of(entry["target"], f"grid {name}")
        except WeightsError as error:
            raise CouplingError(f"{self.place}  yac.grids.{name}: {error}") from None
        unit = self.grid.shape[-1] if len(self.grid.shape) == 2 else 1  # whole rows
        units = self.grid.cells // unit
        if units < size:
            what = "rows" if unit > 1 else "cells"
            raise CouplingError(
                f"{self.place}  yac.grids.{name}: {units} {what} for {size} processes; expected at least one for each, "
                f"so start at most {units} of `tailrace serve --yac`"
            )
        self.first, end = (units * part // size * unit for part in (rank, rank + 1))
        self.count = end - self.first

    # ---- YAC

    def define(self) -> Any:
        """Defines the grid in YAC. Returns the points at which fields are."""
        import yac

        ids = np.arange(self.first, self.first + self.count)
        lat, lon = (np.radians(values) for values in self.grid.centres(self.first, self.count))
        if isinstance(self.grid, Cells) and self.grid.lat_corners is None:  # points: no method that needs cells
            cloud = yac.CloudGrid(self.name, lon, lat)
            cloud.set_global_index(ids, yac.Location.CORNER)
            return cloud.def_points(lon, lat)
        try:
            own, corner_ids = polygons_of_part(self.grid, self.first, self.count)
        except WeightsError as error:
            raise CouplingError(f"{self.place}  yac.grids.{self.name}: {error}") from None
        grid = yac.UnstructuredGrid(
            self.name, own.count, np.radians(own.lon), np.radians(own.lat), own.vertex, use_ll_edges=own.parallels
        )
        grid.set_global_index(ids, yac.Location.CELL)
        grid.set_global_index(corner_ids, yac.Location.CORNER)
        return grid.def_points(yac.Location.CELL, lon, lat)

    # ---- Tailrace

    def declare(self, io: Any, levels: str, size: int) -> str:
        """Declares the grid to a session, for fields with `size` levels along the dim `levels`. Returns its name."""
        name = self.name if size == 1 else f"{self.name}_{levels}_{size}"  # a dim may have several lengths
        above, extents = ([], []) if size == 1 else ([levels], [size])
        if isinstance(self.grid, Healpix):
            grid = self.grid
            io.healpix_grid(name, grid.level, grid.order, dims=above, shape=extents, first=self.first, count=self.count)
        elif isinstance(self.grid, LatLon):
            self._declare_rows(io, name, above, extents, self.grid)
        else:
            self._declare_cells(io, name, above, extents)
        return name

    def local_shape(self, size: int) -> tuple[int, ...]:
        """The shape of the array that is put for a field in this process. YAC has (size, cells)."""
        if len(self.grid.shape) == 1:
            own: tuple[int, ...] = (self.count,)
        else:
            own = (self.count // self.grid.shape[1], self.grid.shape[1])
        return own if size == 1 else (size, *own)

    def _declare_rows(self, io: Any, name: str, above: list[str], extents: list[int], grid: LatLon) -> None:
        dims = ["lat", "lon"] if grid.lat_first else ["lon", "lat"]
        self._block(io, name, above, extents, dims)
        for axis, values, low, high, words in (
            ("lat", grid.lat, grid.south, grid.north, LATITUDE),
            ("lon", grid.lon, grid.west, grid.east, LONGITUDE),
        ):
            io.coordinate(name, axis, values, bounds=np.stack((low, high), axis=-1), **words)

    def _declare_cells(self, io: Any, name: str, above: list[str], extents: list[int]) -> None:
        dims = ["cell"] if len(self.grid.shape) == 1 else ["y", "x"]
        self._block(io, name, above, extents, dims)
        shape = self.local_shape(1)
        corners = self.grid.corners(self.first, self.count)
        for which, axis, words in ((0, "lat", LATITUDE), (1, "lon", LONGITUDE)):
            values = self.grid.centres(self.first, self.count)[which].reshape(shape)
            bounds = None if corners is None else corners[which].reshape(*shape, -1)
            io.coordinate(name, axis, values, dims=dims, bounds=bounds, **words)

    def _block(self, io: Any, name: str, above: list[str], extents: list[int], dims: list[str]) -> None:
        row = self.grid.shape[1] if len(dims) == 2 else 1
        rest = list(self.grid.shape[1:])
        io.grid(
            name,
            dims=above + dims,
            shape=extents + list(self.grid.shape),
            offset=[0] * len(above) + [self.first // row] + [0] * len(rest),
            count=[*extents, self.count // row, *rest],
        )
