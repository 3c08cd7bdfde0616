"""Sparse rows of weights, and the sums that tell whether they are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Rows:
    """The links of target cells first ... first + len(start) - 2: those of row r are start[r] ... start[r + 1] - 1, in
    ascending order of the source cells, each source cell once."""

    first: int
    start: Ints
    source: Ints
    weight: Floats

    @property
    def count(self) -> int:
        return len(self.start) - 1

    @property
    def links(self) -> int:
        return len(self.source)

    def part(self, first: int, count: int) -> Rows:
        """The rows of some of the target cells."""
        row = first - self.first
        begin, end = self.start[row], self.start[row + count]
        start = self.start[row : row + count + 1] - begin
        return Rows(first, start, self.source[begin:end], self.weight[begin:end])

    def targets(self) -> Ints:
        """The target cell of each link."""
        return self.first + np.repeat(np.arange(self.count), np.diff(self.start))

    def sums(self) -> Floats:
        """The sum of the weights of each row."""
        return self.apply_to(np.ones(1), constant=True)

    def apply_to(self, values: Floats, constant: bool = False) -> Floats:
        """The sum of each row; 0 for a row without links."""
        products = self.weight * (values[0] if constant else values[self.source])
        return np.bincount(self.targets() - self.first, weights=products, minlength=self.count)


def rows_of_links(first: int, count: int, target: Ints, source: Ints, weight: Floats) -> Rows:
    """Sorts links. Those with the same target and source cell are added up, as a polygon that touches a cell twice
    (across the date line) gives two."""
    order = np.lexsort((source, target))
    target, source, weight = target[order], source[order], weight[order]
    new = np.ones(len(target), bool)
    new[1:] = (np.diff(target) != 0) | (np.diff(source) != 0)
    if not new.all():
        weight = np.add.reduceat(weight, np.flatnonzero(new))
        target, source = target[new], source[new]
    start = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(target - first, minlength=count), out=start[1:])
    return Rows(first, start, source.astype(np.int64), weight.astype(np.float64))


def rows_of_one(first: int, source: Ints) -> Rows:
    """Each target cell has one source cell, with weight 1."""
    return Rows(first, np.arange(len(source) + 1, dtype=np.int64), source.astype(np.int64), np.ones(len(source)))
