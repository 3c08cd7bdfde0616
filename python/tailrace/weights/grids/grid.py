"""The members that all grids have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from ..sphere import Floats, polygon_areas, to_xyz


class Grid(ABC):
    """`cells` cells, in C order over `shape` (its horizontal dims). `name` is for messages: "lat-lon 180 x 360"."""

    name: str
    shape: tuple[int, ...]
    unit = 1  # cells that stay together in a slice
    parallels = False  # edges along a parallel follow it; otherwise all edges are great circles

    @property
    def cells(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @abstractmethod
    def centres(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats]:
        """Latitude and longitude in degrees of cells first ... first + count - 1."""

    @abstractmethod
    def corners(self, first: int = 0, count: int | None = None) -> tuple[Floats, Floats] | None:
        """(cell, corner), in order round the cell, the last one repeated where a cell has fewer. None: unknown."""

    def areas(self, first: int = 0, count: int | None = None) -> Floats | None:
        """In steradians; edges are great circles unless the grid says otherwise."""
        corners = self.corners(first, count)
        return None if corners is None else np.abs(polygon_areas(to_xyz(*corners)))

    @cached_property
    def points(self) -> Floats:
        """All centres as (cell, 3)."""
        return to_xyz(*self.centres())

    def share(self, part: int, parts: int) -> tuple[int, int]:
        """The first cell and the number of cells of a slice: equal numbers of units."""
        units = self.cells // self.unit
        first, last = units * part // parts, units * (part + 1) // parts
        return first * self.unit, (last - first) * self.unit

    def span(self, first: int, count: int | None) -> slice:
        return slice(first, self.cells if count is None else first + count)

    def told(self, cell: int) -> str:
        """A cell with its indices and its place, for messages: "cell 17 (0, 17) at 89.5 N, 17.5 E"."""
        indices = ", ".join(str(int(index)) for index in np.unravel_index(cell, self.shape))
        lat, lon = (float(values[0]) for values in self.centres(cell, 1))
        index = f" ({indices})" if len(self.shape) > 1 else ""
        return f"cell {cell}{index} at latitude {lat:.6g}, longitude {lon:.6g}"
