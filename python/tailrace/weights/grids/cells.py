"""Cells with centres and corners one by one: curvilinear grids, unstructured meshes, grids of files."""

from __future__ import annotations

import numpy as np

from ..errors import WeightsError
from ..sphere import Floats
from .grid import Grid

MOST_CORNERS = 64


class Cells(Grid):
    """`lat`, `lon`: (cells,) in degrees. `lat_corners`, `lon_corners`: (cells, corners), or None if unknown."""

    def __init__(
        self,
        shape: tuple[int, ...],
        lat: Floats,
        lon: Floats,
        lat_corners: Floats | None = None,
        lon_corners: Floats | None = None,
        name: str = "grid",
    ):
        self.name, self.shape = name, tuple(int(length) for length in shape)
        self.lat, self.lon = lat, lon
        self.lat_corners, self.lon_corners = lat_corners, lon_corners
        if not len(lat) == len(lon) == self.cells > 0:
            raise WeightsError(
                f"{name}: {len(lat)} latitudes and {len(lon)} longitudes of centres; expected "
                f"{self.cells} of each, and at least one"
            )
        self._check(lat, lon, "centre")
        if lat_corners is not None and lon_corners is not None:
            if lat_corners.shape != lon_corners.shape or lat_corners.shape[0] != self.cells:
                raise WeightsError(f"{name}: corners of {lat_corners.shape[0]} cells; expected {self.cells}")
            if not 3 <= lat_corners.shape[1] <= MOST_CORNERS:
                raise WeightsError(f"{name}: {lat_corners.shape[1]} corners a cell; expected 3 to {MOST_CORNERS}")
            self._check(lat_corners, lon_corners, "corner")

    def _check(self, lat: Floats, lon: Floats, what: str) -> None:
        bad = ~(np.isfinite(lat) & np.isfinite(lon))
        if bad.any():
            cell = int(np.argwhere(bad)[0][0])
            raise WeightsError(f"{self.name}: cell {cell}: the coordinates of its {what} are not numbers")
        bad = np.abs(lat) > 90.0 + 1e-9
        if bad.any():
            where = tuple(np.argwhere(bad)[0])
            raise WeightsError(
                f"{self.name}: cell {int(where[0])}: latitude {lat[where]:.6g} of its {what} is beyond "
                "a pole; are coordinates in degrees?"
            )

    def centres(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        span = self.span(first, count)
        return self.lat[span], self.lon[span]

    def corners(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats] | None:
        if self.lat_corners is None or self.lon_corners is None:
            return None
        span = self.span(first, count)
        return self.lat_corners[span], self.lon_corners[span]
