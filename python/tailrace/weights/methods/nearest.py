"""The source cell whose centre is nearest."""

from __future__ import annotations

import numpy as np

from ..errors import need
from ..grids import Grid
from ..rows import Ints, Rows, rows_of_one
from ..sphere import to_xyz

# Distances that differ by less (of the radius of the Earth: 6 micrometres) are equal; the lowest number is taken.
TIE = 1e-12
MOST_AT_ONCE = 1 << 18


def nearest(source: Grid, target: Grid, first: int, count: int) -> Rows:
    tree = need("scipy.spatial", "method nearest").cKDTree(source.points)
    found = np.empty(count, np.int64)
    for begin in range(0, count, MOST_AT_ONCE):
        length = min(MOST_AT_ONCE, count - begin)
        found[begin : begin + length] = _nearest_of(tree, to_xyz(*target.centres(first + begin, length)))
    return rows_of_one(first, found)


def _nearest_of(tree, points) -> Ints:
    """The tree tells no order among equal distances: ask for more neighbours while the last of them is as near as the
    first."""
    found = np.empty(len(points), np.int64)
    open_, neighbours = np.arange(len(points)), min(4, tree.n)
    while len(open_):
        distance, number = tree.query(points[open_], k=np.arange(1, neighbours + 1))
        tied = distance <= distance[:, :1] + TIE
        found[open_] = np.min(np.where(tied, number, tree.n), axis=1)
        if neighbours == tree.n:
            break
        open_ = open_[tied[:, -1]]
        neighbours = min(4 * neighbours, tree.n)
    return found
