"""HEALPix from HEALPix: a cell has four children at the next level, which share it equally."""

from __future__ import annotations

import numpy as np

from ..grids import Healpix
from ..rows import Rows, rows_of_links, rows_of_one


def conservative(source: Healpix, target: Healpix, first: int, count: int) -> Rows:
    """The parent of each target cell, or the mean of its descendants: exact, because cells of HEALPix are equal."""
    nested = target.nested(first, count)
    if source.level <= target.level:
        return rows_of_one(first, source.from_nested(nested >> (2 * (target.level - source.level))))
    share = 1 << (2 * (source.level - target.level))
    children = (nested[:, None] * share + np.arange(share)).ravel()
    rows = np.repeat(first + np.arange(count), share)
    return rows_of_links(first, count, rows, source.from_nested(children), np.full(len(children), 1.0 / share))
