"""The corners of some cells of a grid, with their numbers in the whole grid, without the polygons of the other cells.

A process defines only its own cells in YAC. A corner that cells of two processes share must have one number and the
same bits in both, or weights would depend on the number of processes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tailrace.weights.errors import WeightsError
from tailrace.weights.grids import Cells, Grid, Healpix, LatLon
from tailrace.weights.polygons import GRAIN, NEAR, Polygons, merged
from tailrace.weights.rows import Ints
from tailrace.weights.sphere import Floats, to_xyz

AT_ONCE = 1 << 20  # cells of a grid of a file that are looked at together
MOST = np.iinfo(np.int32).max  # of YAC's numbers
PRIMES = np.array([73856093, 19349669, 83492791], np.uint64)


@dataclass
class Vertices:
    """(cell, corner), in order round the cell: the number in the whole grid, and latitude and longitude in degrees."""

    number: Ints
    lat: Floats
    lon: Floats


def polygons_of_part(grid: Grid, first: int, count: int) -> tuple[Polygons, Ints]:
    """Cells first ... first + count - 1 as polygons, and the number of each of their vertices in the whole grid. Raises
    WeightsError."""
    made = vertices_of(grid, first, count)
    kept = made.number != np.roll(made.number, 1, axis=1)
    corners = kept.sum(axis=1)
    few = np.flatnonzero(corners < 3)
    if len(few):
        raise WeightsError(
            f"{grid.name}: {grid.told(first + int(few[0]))} is degenerate: fewer than 3 distinct corners"
        )
    if max(grid.cells, made.number.max()) > MOST:
        raise WeightsError(f"{grid.name}: there are more cells or corners than YAC can number ({MOST})")
    numbers, at, vertex = np.unique(made.number[kept], return_index=True, return_inverse=True)
    lat, lon = made.lat[kept][at], made.lon[kept][at]
    return Polygons(corners, vertex, lat, lon, grid.parallels), numbers


def vertices_of(grid: Grid, first: int, count: int) -> Vertices:
    if isinstance(grid, LatLon):
        return _of_rows(grid, first, count)
    if isinstance(grid, Healpix):
        return _of_healpix(grid, first, count)
    assert isinstance(grid, Cells)
    return _of_cells(grid, first, count)


# ---- cells between parallels and meridians


def _of_rows(grid: LatLon, first: int, count: int) -> Vertices:
    """Numbers are those of crossings of parallels and meridians; a pole has one."""
    j, i = grid.index(first, count)
    rows, lat = _merged_axis(np.concatenate((grid.south, grid.north)), np.inf)
    columns, lon = _merged_axis(np.concatenate((grid.west, grid.east)), 360.0)
    south, north = rows[: len(grid.lat)][j], rows[len(grid.lat) :][j]
    west, east = columns[: len(grid.lon)][i], columns[len(grid.lon) :][i]
    row, column = np.stack((south, south, north, north), axis=1), np.stack((west, east, east, west), axis=1)
    column = np.where(np.abs(lat[row]) >= 90.0, 0, column)
    return Vertices(row * len(lon) + column, lat[row], lon[column])


def _merged_axis(values: Floats, turn: float) -> tuple[Ints, Floats]:
    """The number of the edge at each value, where values nearer than a grain are one, and one value of each edge."""
    wrapped = values % turn if np.isfinite(turn) else values
    order = np.argsort(wrapped, kind="stable")
    new = np.append(True, np.diff(wrapped[order]) > np.degrees(GRAIN))
    number = np.empty(len(values), np.int64)
    number[order] = np.cumsum(new) - 1
    if turn - np.ptp(wrapped) <= np.degrees(GRAIN):
        number[number == number.max()] = 0
    _, at = np.unique(number, return_index=True)
    return number, values[at]


# ---- HEALPix


def _of_healpix(grid: Healpix, first: int, count: int) -> Vertices:
    """Numbers run along rings from the north pole. All cells around a corner compute the same bits of its place: their
    arithmetic is exact up to the last operations, which are the same."""
    lat, lon = grid.corners(first, count)
    side = 1 << grid.level
    z = np.sin(np.radians(lat))
    cap = side * np.sqrt(3.0 * np.maximum(1.0 - np.abs(z), 0.0))  # the ring of a corner in the cap, from the pole
    ring = np.where(np.abs(z) > 2.0 / 3.0, np.where(z > 0, cap, 4 * side - cap), side * (2.0 - 1.5 * z))
    ring = np.rint(ring).astype(np.int64)
    length = 4 * np.minimum(np.minimum(ring, 4 * side - ring), side)  # corners of the ring; none at a pole
    place = np.floor(lon * length / 360.0 + 0.25).astype(np.int64)  # in the belt every other ring is shifted by a half
    before = np.where(ring <= side, 1 + 2 * ring * (ring - 1), 1 + 2 * side * (side - 1) + 4 * side * (ring - side))
    below = 4 * side - ring
    last = 12 * side * side + 1  # at the south pole
    before = np.where(ring > 3 * side, last - 2 * below * (below + 1), before)
    number = np.where(ring == 0, 0, np.where(below == 0, last, before + place))
    return Vertices(number, lat, np.where(length == 0, 0.0, lon))


# ---- cells of files


def _of_cells(grid: Cells, first: int, count: int) -> Vertices:
    """The number of a corner is that in the cell with the lowest number that has it: only cells that touch these are
    merged with them."""
    corners = grid.corners(first, count)
    if corners is None:
        raise WeightsError(f"{grid.name} has no bounds (corners of its cells), which a coupling needs")
    size = corners[0].shape[1]
    cells = _touching(grid, first, count)
    parts = [grid.corners(begin, end - begin) for begin, end in _runs(cells)]
    lat, lon = (np.concatenate([part[axis] for part in parts if part is not None]).ravel() for axis in (0, 1))
    vertex, _ = merged(to_xyz(lat, lon))
    lowest = np.full(vertex.max() + 1, len(vertex))
    np.minimum.at(lowest, vertex, np.arange(len(vertex)))
    own = np.searchsorted(cells, first) * size
    at = lowest[vertex[own : own + count * size]].reshape(count, size)
    return Vertices(cells[at // size] * size + at % size, lat[at], lon[at])


def _touching(grid: Cells, first: int, count: int) -> Ints:
    """The cells of the part, and those with a corner at one of theirs (and perhaps some more), ascending."""
    own = _hashes(_grains(grid, first, count, spread=True))
    own = np.unique(own)
    found = []
    for begin in range(0, grid.cells, AT_ONCE):
        many = min(AT_ONCE, grid.cells - begin)
        hashes = _hashes(_grains(grid, begin, many, spread=False))
        place = np.minimum(np.searchsorted(own, hashes), len(own) - 1)
        found.append(begin + np.flatnonzero((own[place] == hashes).reshape(many, -1).any(axis=1)))
    return np.union1d(np.concatenate(found), np.arange(first, first + count))


def _grains(grid: Cells, first: int, count: int, spread: bool) -> Ints:
    """(point, 3): the grain of each corner; `spread`: and those in which a corner that is merged with it may lie."""
    corners = grid.corners(first, count)
    assert corners is not None
    points = to_xyz(*corners).reshape(-1, 3)
    if not spread:
        return np.rint(points / GRAIN).astype(np.int64)
    shifts = np.array(np.meshgrid(*3 * [(-NEAR, NEAR)])).reshape(3, -1).T
    return np.concatenate([np.rint((points + shift) / GRAIN) for shift in shifts]).astype(np.int64)


def _hashes(grains: Ints) -> np.ndarray:
    parts = grains.astype(np.uint64) * PRIMES
    return parts[:, 0] ^ parts[:, 1] ^ parts[:, 2]


def _runs(cells: Ints) -> list[tuple[int, int]]:
    """Cells that ascend as ranges (begin, end)."""
    breaks = np.flatnonzero(np.diff(cells) != 1) + 1
    begins, ends = np.append(0, breaks), np.append(breaks, len(cells))
    return [(int(cells[begin]), int(cells[end - 1]) + 1) for begin, end in zip(begins, ends, strict=True)]
