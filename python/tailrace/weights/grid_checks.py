"""Refuses grids that are wrong, in words that name the cell."""

from __future__ import annotations

import numpy as np

from .errors import WeightsError
from .grids import Grid
from .polygons import Polygons
from .rows import Ints, Rows
from .sphere import to_xyz

OVERLAP = 1e-3  # of the area of a target cell
TANGENT = 1e-8
CONCAVE = 0.01  # the sine of a turn to the wrong side that is no rounding of coordinates


def check_convex(grid: Grid, cells: Ints, polygons: Polygons) -> None:
    """Refuses cells whose edges turn to both sides, or cross."""
    if polygons.parallels:
        return
    xyz = to_xyz(polygons.lat, polygons.lon)[polygons.vertex]
    begin = np.cumsum(polygons.count) - polygons.count
    owner = np.repeat(np.arange(len(polygons.count)), polygons.count)
    place = np.arange(len(owner)) - begin[owner]
    following = begin[owner] + (place + 1) % polygons.count[owner]
    after, last = xyz[following], xyz[following[following]]
    first_edge, second_edge = after - xyz, last - after
    turn = np.sum(after * np.cross(first_edge, second_edge), axis=1)
    turn /= np.linalg.norm(first_edge, axis=1) * np.linalg.norm(second_edge, axis=1)
    left = np.bincount(owner, turn > CONCAVE, len(polygons.count))
    right = np.bincount(owner, turn < -CONCAVE, len(polygons.count))
    bad = np.flatnonzero((left > 0) & (right > 0))
    if len(bad):
        raise WeightsError(
            f"{grid.name}: {grid.told(int(cells[bad[0]]))} is concave, or its edges cross"
            + (f" ({len(bad) - 1} more cells are so)" if len(bad) > 1 else "")
        )


def check_sides(grid: Grid, cells: Ints, polygons: Polygons) -> None:
    """Refuses two cells on the same side of an edge: they overlap. (YAC would end its process.)"""
    begin = np.cumsum(polygons.count) - polygons.count
    owner = np.repeat(np.arange(len(polygons.count)), polygons.count)
    place = np.arange(len(owner)) - begin[owner]
    after = polygons.vertex[begin[owner] + (place + 1) % polygons.count[owner]]
    xyz = to_xyz(polygons.lat, polygons.lon)
    # The sum of a x b over the edges points to the side of the polygon that has its corners counterclockwise.
    normal = np.cross(xyz[polygons.vertex], xyz[after])
    middle = xyz[polygons.vertex[begin]]
    total = np.stack([np.bincount(owner, normal[:, axis], len(polygons.count)) for axis in range(3)], axis=1)
    clockwise = (np.sum(total * middle, axis=1) < 0)[owner]
    edge = np.where(clockwise, after, polygons.vertex) * len(xyz) + np.where(clockwise, polygons.vertex, after)
    order = np.argsort(edge, kind="stable")
    bad = np.flatnonzero(np.diff(edge[order]) == 0)
    if len(bad):
        first, second = (grid.told(int(cells[owner[order[bad[0] + k]]])) for k in range(2))
        raise WeightsError(f"{grid.name}: cells overlap: {first} and {second} lie on the same side of an edge")


def without_overlaps(source: Grid, target: Grid, rows: Rows) -> Rows:
    """Refuses source cells that overlap: together they cover more than a whole target cell.

    A little more than 1 comes of edges that end at the same points, one of them a parallel, the other a great circle,
    which YAC takes for one edge, and 1 is missed by some 1e-10 where an edge is almost tangent to a parallel. Such rows
    are scaled to 1, so that constants stay constant."""
    sums = rows.sums()
    bad = np.flatnonzero(~(sums <= 1.0 + OVERLAP))
    if not len(bad):
        scale = np.where(sums > 1.0 - TANGENT, sums, 1.0)
        return Rows(rows.first, rows.start, rows.source, rows.weight / np.repeat(scale, np.diff(rows.start)))
    row = int(bad[0])
    cells = rows.source[rows.start[row] : rows.start[row + 1]]
    first, second = _overlapping_pair(source, cells)
    raise WeightsError(
        f"{source.name}: cells overlap, for example {source.told(first)} and {source.told(second)}: they cover "
        f"{sums[row]:.6g} times {target.told(rows.first + row)} of {target.name}"
    )


def _overlapping_pair(source: Grid, cells: Ints) -> tuple[int, int]:
    """The two of cells that overlap somewhere whose centres are nearest in relation to their radii."""
    best, pair = np.inf, (int(cells[0]), int(cells[-1]))
    points = source.points[cells]
    areas = np.array([float(source.areas(int(cell), 1)[0]) for cell in cells])  # type: ignore[index]
    for i in range(len(cells)):
        for j in range(i):
            ratio = float(np.sum((points[i] - points[j]) ** 2)) / max(np.sqrt(areas[i] * areas[j]), 1e-300)
            if ratio < best:
                best, pair = ratio, (int(cells[j]), int(cells[i]))
    return pair
