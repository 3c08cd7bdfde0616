"""Cells as polygons with shared vertices, as YAC wants them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .errors import WeightsError, need
from .grids import Grid
from .rows import Ints
from .sphere import Floats, to_lat_lon, to_xyz

GRAIN = 1e-8  # radii: vertices in one grain are one (6 cm) ...
NEAR = 1e-10  # ... and those on both sides of a border of grains that are nearer


@dataclass
class Polygons:
    """`count[i]` vertices of cell i, one cell behind the other in `vertex`, as numbers of vertices at `lat`, `lon`.
    `parallels`: edges along a latitude or a longitude follow it; all other edges are great circles."""

    count: Ints
    vertex: Ints
    lat: Floats
    lon: Floats
    parallels: bool


def polygons_of(grid: Grid, cells: Ints, purpose: str) -> Polygons:
    corners = corners_of(grid, cells)
    if corners is None:
        raise WeightsError(f"{grid.name} has no bounds (corners of its cells), which {purpose} needs")
    xyz = to_xyz(*corners)
    shape = xyz.shape[:2]
    number, first = merged(xyz.reshape(-1, 3))
    vertex = number.reshape(shape)
    kept = vertex != np.roll(vertex, 1, axis=1)
    count = kept.sum(axis=1)
    few = np.flatnonzero(count < 3)
    if len(few):
        raise WeightsError(f"{grid.name}: {grid.told(int(cells[few[0]]))} is degenerate: fewer than 3 distinct corners")
    lat, lon = (values.ravel()[first] for values in corners)
    return Polygons(count, vertex[kept], lat, lon, grid.parallels)


def corners_of(grid: Grid, cells: Ints) -> tuple[Floats, Floats] | None:
    """The corners of some cells, which ascend."""
    first, last = int(cells[0]), int(cells[-1])
    corners = grid.corners(first, last + 1 - first)
    return None if corners is None else (corners[0][cells - first], corners[1][cells - first])


def merged(points: Floats) -> tuple[Ints, Ints]:
    """The number of the vertex of each point, and one point of each vertex."""
    scaled = points / GRAIN
    grain = np.rint(scaled)
    order = np.lexsort(grain.T)
    new = np.ones(len(points), bool)
    new[1:] = (np.diff(grain[order], axis=0) != 0).any(axis=1)
    number = np.empty(len(points), np.int64)
    number[order] = np.cumsum(new) - 1
    first = order[new]
    # Only points near the border of a grain can have a partner in another one.
    off = np.abs(np.abs(scaled[first] - grain[first]) - 0.5).min(axis=1)
    doubtful = np.flatnonzero(off < NEAR / GRAIN)
    if len(doubtful):
        pairs = (
            need("scipy.spatial", "merging vertices")
            .cKDTree(points[first[doubtful]])
            .query_pairs(NEAR, output_type="ndarray")
        )
        if len(pairs):
            same = np.arange(len(first))
            np.minimum.at(same, doubtful[pairs].max(axis=1), doubtful[pairs].min(axis=1))
            while (same[same] != same).any():
                same = same[same]
            left, renumbered = np.unique(same, return_inverse=True)
            return renumbered[number], first[left]
    return number, first


def tiny_triangles(lat: Floats, lon: Floats) -> Polygons:
    """Stand-ins for cells of which only the centres matter."""
    centre = to_xyz(lat, lon)
    east = np.stack((-np.sin(np.radians(lon)), np.cos(np.radians(lon)), np.zeros(len(lon))), axis=-1)
    north = np.cross(centre, east)
    size = 1e-5
    corners = np.stack(
        [centre + size * (np.cos(turn) * east + np.sin(turn) * north) for turn in np.radians((-150, -30, 90))], axis=1
    )
    corner_lat, corner_lon = to_lat_lon(corners.reshape(-1, 3))
    return Polygons(np.full(len(lat), 3), np.arange(3 * len(lat)), corner_lat, corner_lon, parallels=False)
