"""Cells of HEALPix. Their edges are curves; here they are the great circles between the four corners, as YAC and CDO
take them. They cover the sphere without gaps, but are not quite equal: docs/formats/weights.md has figures."""

from __future__ import annotations

import numpy as np

from .. import healpix
from ..errors import WeightsError
from ..sphere import Floats
from .grid import Grid

MOST_LEVELS = 14  # as of a configuration: cells of some 400 m
ORDERS = ("nested", "ring")


class Healpix(Grid):
    """`equal`: areas are those of the curved cells and not of the polygons."""

    equal = False

    def __init__(self, level: int, order: str):
        if not 0 <= level <= MOST_LEVELS:
            raise WeightsError(f"HEALPix level {level} is out of range (0 to {MOST_LEVELS})")
        if order not in ORDERS:
            raise WeightsError(f"HEALPix order {order!r} is unknown (known: {', '.join(ORDERS)})")
        self.level, self.order = level, order
        self.name = f"healpix level {level} {order}"
        self.shape = (healpix.cells_of(level),)

    def nested(self, first: int = 0, count: int | None = None) -> healpix.Ints:
        """The nested numbers of cells."""
        span = self.span(first, count)
        return self.to_nested(np.arange(span.start, span.stop, dtype=np.int64))

    def to_nested(self, cell: healpix.Ints) -> healpix.Ints:
        return cell if self.order == "nested" else healpix.ring_to_nested(self.level, cell)

    def from_nested(self, nested: healpix.Ints) -> healpix.Ints:
        return nested if self.order == "nested" else healpix.nested_to_ring(self.level, nested)

    def areas(self, first: int = 0, count: int | None = None) -> Floats:
        if not self.equal:
            return super().areas(first, count)
        span = self.span(first, count)
        return np.full(span.stop - span.start, 4.0 * np.pi / self.cells)

    def centres(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        return healpix.centres(self.level, self.nested(first, count))

    def corners(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        return healpix.corners(self.level, self.nested(first, count))
