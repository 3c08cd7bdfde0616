"""A grid of PISM in this component: whole rows of its points are dealt out to the processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tailrace.yac.errors import CouplingError


class GridPart:
    """The part of process `rank` of `size`. `name`: in YAC, where PISM has the one without the ending."""

    def __init__(self, pisms_name: str, all_rows: int, columns: int, rank: int, size: int):
        if all_rows < size:
            raise CouplingError(
                f"the grid {pisms_name} of PISM has {all_rows} rows, for {size} processes of `tailrace serve --pism`; "
                f"expected at most {all_rows} of them"
            )
        self.name, self.shape = f"{pisms_name}_output", (all_rows, columns)
        self.first_row, end = (all_rows * part // size for part in (rank, rank + 1))
        self.rows, self.columns = end - self.first_row, columns
        self.count = self.rows * columns

    def define(self, index: np.ndarray, y: np.ndarray, x: np.ndarray) -> Any:
        """In YAC. `index`: the number of each point of the whole grid, in the order of `y` and `x`, which are its
        places in radians. Returns the points of this part, in the order of their numbers."""
        order = np.argsort(index)
        if not np.array_equal(index[order], np.arange(self.shape[0] * self.shape[1])):
            raise CouplingError(
                f"the processes of PISM have {len(index)} points of the grid {self.name.removesuffix('_output')}; "
                f"expected each of its {self.shape[0]} x {self.shape[1]} points once"
            )
        import yac  # only now: it starts MPI

        first = self.first_row * self.columns
        own = order[first : first + self.count]
        grid = yac.CloudGrid(self.name, x[own], y[own])
        grid.set_global_index(index[own], yac.Location.CORNER)
        return grid.def_points(x[own], y[own])
