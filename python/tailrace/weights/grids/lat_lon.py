"""Cells between parallels and meridians."""

from __future__ import annotations

import numpy as np

from ..errors import WeightsError
from ..sphere import Floats, band_heights
from .grid import Grid

TOUCH = 1e-9  # degrees: bounds that are nearer are one


class LatLon(Grid):
    """`lat` and `lon`: centres in degrees. `lat_bounds`, `lon_bounds`: (n, 2); by default halfway between centres.
    `lat_first`: latitude is the slower dim of `shape`."""

    def __init__(
        self,
        lat: Floats,
        lon: Floats,
        lat_bounds: Floats | None = None,
        lon_bounds: Floats | None = None,
        lat_first: bool = True,
        name: str | None = None,
    ):
        self.lat, self.lon, self.lat_first, self.parallels = lat, lon, lat_first, True
        ny, nx = len(lat), len(lon)
        self.shape = (ny, nx) if lat_first else (nx, ny)
        self.unit = self.shape[1]
        self.name = name or f"lat-lon {ny} x {nx}"
        _check_centres(self.name, lat, lon)
        lat_edges = lat_bounds_between(lat) if lat_bounds is None else lat_bounds
        lon_edges = lon_bounds_between(lon) if lon_bounds is None else lon_bounds
        self.south, self.north = np.min(lat_edges, axis=1), np.max(lat_edges, axis=1)
        self.west, self.east = np.min(lon_edges, axis=1), np.max(lon_edges, axis=1)
        self._check_bounds()

    def _check_bounds(self) -> None:
        if not (np.isfinite(self.south + self.north).all() and np.isfinite(self.west + self.east).all()):
            raise WeightsError(f"{self.name}: a bound of latitude or longitude is not a number")
        wide = self.east - self.west > 180.0
        if wide.any() and len(self.lon) > 1:  # bounds such as (359.5, 0.5), or (-0.5, 359.5) of a cell at 359
            east = np.where(wide, self.west, self.east)
            west = np.where(wide, self.east - 360.0, self.west)
            self.west, self.east = west, east
        for what, low, high, at in (
            ("latitude", self.south, self.north, self.lat),
            ("longitude", self.west, self.east, self.lon),
        ):
            empty = np.flatnonzero(high - low <= 0.0)
            if len(empty):
                i = int(empty[0])
                raise WeightsError(
                    f"{self.name}: the cells at {what} {at[i]:.6g} have no extent (bounds {low[i]:.6g} and "
                    f"{high[i]:.6g})"
                )
        beyond = np.flatnonzero((self.south < -90.0 - TOUCH) | (self.north > 90.0 + TOUCH))
        if len(beyond):
            i = int(beyond[0])
            raise WeightsError(
                f"{self.name}: the cells at latitude {self.lat[i]:.6g} reach beyond a pole (bounds "
                f"{self.south[i]:.6g} and {self.north[i]:.6g})"
            )
        self.south, self.north = np.maximum(self.south, -90.0), np.minimum(self.north, 90.0)
        check_overlap(self.name, "latitude", self.lat, self.south, self.north, 0.0)
        check_overlap(self.name, "longitude", self.lon, self.west, self.east, 360.0)

    @property
    def is_cyclic(self) -> bool:
        """The cells go round the whole parallel."""
        return bool(abs(np.sum(self.east - self.west) - 360.0) < TOUCH * len(self.lon))

    def index(self, first: int = 0, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The indices along latitude and along longitude of cells."""
        span = self.span(first, count)
        slow, fast = np.divmod(np.arange(span.start, span.stop, dtype=np.int64), self.shape[1])
        return (slow, fast) if self.lat_first else (fast, slow)

    def centres(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        j, i = self.index(first, count)
        return self.lat[j], self.lon[i]

    def corners(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        j, i = self.index(first, count)
        south, north, west, east = self.south[j], self.north[j], self.west[i], self.east[i]
        return np.stack((south, south, north, north), axis=1), np.stack((west, east, east, west), axis=1)

    def areas(self, first: int = 0, count: int | None = None) -> Floats:
        """Exact: the northern and southern edges are parallels."""
        j, i = self.index(first, count)
        return (band_heights(self.south, self.north))[j] * np.radians(self.east - self.west)[i]


def gaussian(number: int) -> LatLon:
    """F<number>: 2 * number rows at the latitudes of Gauss's quadrature, from the north, of 4 * number cells each."""
    if not 1 <= number <= 32768:
        raise WeightsError(f"gaussian F{number} is out of range (F1 to F32768)")
    places = gauss_places(2 * number)
    lat = np.degrees(np.arcsin(places))
    lon = np.arange(4 * number) * (90.0 / number)
    return LatLon(lat, lon, lat_bounds=_between(lat, 90.0, -90.0), name=f"gaussian F{number}")


def gauss_places(count: int) -> Floats:
    """The zeros of the Legendre polynomial of degree `count`, descending: Newton's method from Tricomi's estimate
    (Abramowitz and Stegun 22.16.6)."""
    k = np.arange(1, count + 1)
    x = (1.0 - (count - 1.0) / (8.0 * count**3)) * np.cos(np.pi * (4 * k - 1) / (4 * count + 2))
    for _ in range(6):
        before, value = np.ones_like(x), x
        for degree in range(2, count + 1):
            before, value = value, ((2 * degree - 1) * x * value - (degree - 1) * before) / degree
        slope = count * (x * value - before) / (x * x - 1.0)
        x = x - value / slope
    return (x - x[::-1]) / 2.0  # symmetric, as the zeros are


def _between(centres: Floats, begin: float, end: float) -> Floats:
    edges = np.concatenate(([begin], (centres[:-1] + centres[1:]) / 2.0, [end]))
    return np.stack((edges[:-1], edges[1:]), axis=1)


def lat_bounds_between(lat: Floats) -> Floats:
    """Halfway between centres; the outermost lie half a spacing further out, but not beyond a pole. A single latitude
    reaches from pole to pole. As src/regrid/target_grid.hpp has it."""
    if len(lat) == 1:
        return np.array([[-90.0, 90.0]])
    begin, end = lat[0] - (lat[1] - lat[0]) / 2.0, lat[-1] + (lat[-1] - lat[-2]) / 2.0
    return _between(lat, *np.clip((begin, end), -90.0, 90.0))


def lon_bounds_between(lon: Floats) -> Floats:
    """Halfway between centres. The first and the last cell meet halfway where the gap between them is like the others;
    otherwise the outermost bounds lie half a spacing further out. A single longitude reaches around the Earth."""
    if len(lon) == 1:
        return np.array([[lon[0] - 180.0, lon[0] + 180.0]])
    steps = np.diff(lon)
    gap = 360.0 - abs(lon[-1] - lon[0])
    if gap <= 1.5 * np.max(np.abs(steps)):
        turn = 360.0 if steps[0] > 0 else -360.0
        first = lon[0] - np.sign(turn) * gap / 2.0
        return _between(lon, first, first + turn)
    return _between(lon, lon[0] - steps[0] / 2.0, lon[-1] + steps[-1] / 2.0)


def _check_centres(name: str, lat: Floats, lon: Floats) -> None:
    for what, values in (("latitude", lat), ("longitude", lon)):
        if values.ndim != 1 or len(values) == 0:
            raise WeightsError(f"{name}: {what} has {values.size} values in {values.ndim} dims; expected a list")
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            raise WeightsError(f"{name}: {what} {int(bad[0])} is not a number")
        steps = np.diff(values)
        if not ((steps > 0).all() or (steps < 0).all()):
            i = int(np.flatnonzero(np.sign(steps) != np.sign(steps[0]))[0]) if steps[0] else 0
            raise WeightsError(f"{name}: {what} is not monotonic at {i}: {values[i]:.6g}, {values[i + 1]:.6g}")
    if np.abs(lat).max() > 90.0 + TOUCH:
        i = int(np.argmax(np.abs(lat)))
        raise WeightsError(f"{name}: latitude {i} is {lat[i]:.6g}; expected -90 to 90")
    if abs(lon[-1] - lon[0]) >= 360.0:
        raise WeightsError(f"{name}: longitudes from {lon[0]:.6g} to {lon[-1]:.6g} go round more than once")


def check_overlap(name: str, what: str, at: Floats, low: Floats, high: Floats, turn: float) -> None:
    """Refuses intervals that overlap; `turn`: 360 where the last one meets the first one."""
    order = np.argsort(low, kind="stable")
    ends = high[order]
    begins = np.append(low[order][1:], low[order][0] + turn if turn else np.inf)
    bad = np.flatnonzero(ends - begins > TOUCH)
    if len(bad):
        i, j = int(order[bad[0]]), int(order[(bad[0] + 1) % len(order)])
        raise WeightsError(
            f"{name}: the cells at {what} {at[i]:.6g} and {at[j]:.6g} overlap (bounds {low[i]:.6g} to "
            f"{high[i]:.6g} and {low[j]:.6g} to {high[j]:.6g})"
        )
