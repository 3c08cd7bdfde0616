"""Cells with centres and corners one by one: curvilinear grids, unstructured meshes, grids of files."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..errors import WeightsError
from ..sphere import Floats
from .between import corners_between
from .grid import Grid

MOST_CORNERS = 64
ALONG = 1e-9  # degrees


def _steps(lat: Floats, lon: Floats) -> tuple[Floats, np.ndarray]:
    """From each corner to the next: degrees to the east, and whether one of both is a pole."""
    at_pole = np.abs(lat) >= 90.0 - ALONG
    return (np.roll(lon, -1, axis=1) - lon + 180.0) % 360.0 - 180.0, at_pole | np.roll(at_pole, -1, axis=1)


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

    @cached_property
    def parallels(self) -> bool:  # type: ignore[override]
        """All edges run along parallels and meridians: a lat-lon grid with two-dimensional coordinates."""
        if self.lat_corners is None or self.lon_corners is None:
            return False
        east, at_pole = _steps(self.lat_corners, self.lon_corners)
        north = np.roll(self.lat_corners, -1, axis=1) - self.lat_corners
        return bool(((np.abs(north) < ALONG) | (np.abs(east) < ALONG) | at_pole).all())

    def areas(self, first: int = 0, count: int | None = None) -> Floats | None:
        corners = self.corners(first, count)
        if corners is None or not self.parallels:
            return super().areas(first, count)
        # Green: the integral of sin(lat) over longitude along the edges.
        east, at_pole = _steps(*corners)
        pole = np.sign(corners[0]) * 90.0
        lat = np.where(
            at_pole,
            np.where(np.abs(corners[0]) > 45.0, pole, np.sign(np.roll(corners[0], -1, axis=1)) * 90.0),
            corners[0],
        )
        return np.abs(np.sum(np.sin(np.radians(lat)) * np.radians(east), axis=1))

    def for_neighbours(self) -> Cells:
        """With corners to find neighbours by, if it has none and two dims."""
        if self.lat_corners is not None or len(self.shape) != 2 or min(self.shape) < 2:
            return self
        return Cells(self.shape, self.lat, self.lon, *corners_between(self.lat, self.lon, self.shape), name=self.name)

    def centres(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        span = self.span(first, count)
        return self.lat[span], self.lon[span]

    def corners(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats] | None:
        if self.lat_corners is None or self.lon_corners is None:
            return None
        span = self.span(first, count)
        return self.lat_corners[span], self.lon_corners[span]
