"""The source cells that a slice of the target may need, so that YAC gets no more of a large grid."""

from __future__ import annotations

import numpy as np

from . import healpix
from .errors import need
from .grids import Grid
from .polygons import corners_of
from .rows import Ints
from .sphere import Floats, polygon_radii, to_xyz

LEVEL = 6  # of the coarse cells in which the slice is marked
COARSE = 0.02  # radii: no corner of a coarse cell is further from its centre
AT_ONCE = 1 << 20
WHOLE = 1 << 16  # a source with fewer cells is not worth a cut


def within_reach(source: Grid, points: Floats, radius: float, rings: float) -> Ints:
    """The source cells, ascending, whose centres may be within `radius` and `rings` radii of a cell of `points`."""
    if source.cells <= WHOLE:
        return np.arange(source.cells)
    marked = np.zeros(healpix.cells_of(LEVEL), bool)
    marked[healpix.cell_of_points(LEVEL, points)] = True
    coarse = to_xyz(*healpix.centres(LEVEL, np.arange(len(marked))))
    distance, _ = need("scipy.spatial", "making weights").cKDTree(coarse[marked]).query(coarse)
    near = distance <= 2.0 * COARSE + radius + rings * largest_radius(source)
    return np.flatnonzero(near[healpix.cell_of_points(LEVEL, source.points)])


def largest_radius(grid: Grid, first: int = 0, count: int | None = None) -> float:
    """The longest distance of a centre from a corner of its cell."""
    largest, span = 0.0, grid.span(first, count)
    for begin in range(span.start, span.stop, AT_ONCE):
        cells = np.arange(begin, min(begin + AT_ONCE, span.stop))
        corners = corners_of(grid, cells)
        if corners is not None:
            centres = to_xyz(*grid.centres(begin, len(cells)))
            largest = max(largest, float(polygon_radii(centres, to_xyz(*corners)).max()))
    return largest
