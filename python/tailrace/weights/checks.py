"""Refuses weights that are wrong, in words that name the file and the cell."""

from __future__ import annotations

import numpy as np

from .errors import WeightsError
from .foreign import Foreign, Side
from .grids import Grid
from .rows import Ints, Rows, rows_of_links
from .sphere import Floats, to_xyz

ROUNDING = 1e-6  # of sums of weights, which others may keep in float32 or count in other areas


def rows_of_file(weights: Foreign, source: Grid | None = None, target: Grid | None = None) -> Rows:
    """Checked rows as shares of target cells (destarea). With grids, the file must be of these. A pair of cells that
    occurs twice is added up: programs that cut cells at the date line write such pairs."""
    source_cells = _cells(weights, "source", weights.source, weights.source_cell, source)
    target_cells = _cells(weights, "target", weights.target, weights.target_cell, target)
    if not len(weights.target_cell) == len(weights.source_cell) == len(weights.weight):
        raise WeightsError(
            f"{weights.path}: {len(weights.target_cell)} target addresses, {len(weights.source_cell)} source "
            f"addresses and {len(weights.weight)} weights; expected as many of each"
        )
    _check_range(weights, "source", weights.source_cell, source_cells)
    _check_range(weights, "target", weights.target_cell, target_cells)
    _check_numbers(weights, target)
    if weights.row_start is not None:
        _check_sorted(weights, target_cells)
    rows = rows_of_links(0, target_cells, weights.target_cell, weights.source_cell, weights.weight)
    rows = _as_shares(weights, rows)
    _check_sums(weights, rows, target)
    return rows


def _told(grid: Grid | None, cell: int) -> str:
    return f"cell {cell}" if grid is None else grid.told(cell)


def _cells(weights: Foreign, what: str, side: Side, numbers: Ints, grid: Grid | None) -> int:
    """The number of cells; refuses the weights of another grid."""
    if grid is None:
        return side.cells if side.cells is not None else int(numbers.max(initial=-1)) + 1
    if side.cells is not None and side.cells != grid.cells:
        raise WeightsError(
            f"{weights.path}: are weights of another {what} grid: {side.cells} cells; expected {grid.cells} "
            f"({grid.name})"
        )
    if len(side.shape) == len(grid.shape) == 2 and side.shape != grid.shape:
        raise WeightsError(
            f"{weights.path}: are weights of another {what} grid: {side.shape} cells; expected {grid.shape} "
            f"({grid.name}), the slowest dimension first"
        )
    if side.centres is not None:
        _check_centres(weights, what, side.centres, grid)
    return grid.cells


def _check_centres(weights: Foreign, what: str, centres: tuple[Floats, Floats], grid: Grid) -> None:
    if len(centres[0]) != grid.cells or len(centres[1]) != grid.cells:
        raise WeightsError(f"{weights.path}: has the centres of {len(centres[0])} {what} cells; expected {grid.cells}")
    distance = np.sqrt(np.sum((to_xyz(*centres) - grid.points) ** 2, axis=1))
    most = max(1e-6, 0.01 * np.sqrt(4.0 * np.pi / grid.cells))  # a hundredth of a cell of a global grid
    bad = np.flatnonzero(~(distance <= most))
    if len(bad):
        cell = int(bad[0])
        raise WeightsError(
            f"{weights.path}: are weights of another {what} grid: {grid.told(cell)} has its centre at latitude "
            f"{centres[0][cell]:.6g}, longitude {centres[1][cell]:.6g} in the file"
            + (f", and {len(bad) - 1} more differ" if len(bad) > 1 else "")
        )


def _check_range(weights: Foreign, what: str, numbers: Ints, cells: int) -> None:
    bad = np.flatnonzero((numbers < 0) | (numbers >= cells))
    if len(bad):
        link = int(bad[0])
        raise WeightsError(
            f"{weights.path}: link {link} of target cell {int(weights.target_cell[link])}: the address "
            f"{int(numbers[link]) + 1} of its {what} cell is out of range (1 to {cells})"
        )


def _check_numbers(weights: Foreign, target: Grid | None) -> None:
    bad = np.flatnonzero(~np.isfinite(weights.weight))
    if len(bad):
        cell = int(weights.target_cell[bad[0]])
        raise WeightsError(f"{weights.path}: target {_told(target, cell)} has a weight that is not a number")
    if weights.is_conservative:
        bad = np.flatnonzero(weights.weight < -ROUNDING)
        if len(bad):
            link = int(bad[0])
            raise WeightsError(
                f"{weights.path}: target {_told(target, int(weights.target_cell[link]))} has the negative weight "
                f"{weights.weight[link]:.6g} of source cell {int(weights.source_cell[link])}"
            )


def _check_sorted(weights: Foreign, target_cells: int) -> None:
    start, links = weights.row_start, len(weights.weight)
    assert start is not None
    expected = np.searchsorted(weights.target_cell, np.arange(target_cells + 1))
    if len(start) != target_cells + 1 or (start != expected).any():
        cell = int(np.flatnonzero(start != expected)[0]) if len(start) == target_cells + 1 else 0
        raise WeightsError(f"{weights.path}: row_start does not fit the links at target cell {cell}")
    same = np.diff(weights.target_cell) == 0
    bad = np.flatnonzero((np.diff(weights.target_cell) < 0) | (same & (np.diff(weights.source_cell) <= 0)))
    if len(bad):
        raise WeightsError(
            f"{weights.path}: links are not sorted at target cell {int(weights.target_cell[bad[0]])} (link "
            f"{int(bad[0])} of {links})"
        )


def _as_shares(weights: Foreign, rows: Rows) -> Rows:
    """fracarea and none of SCRIP as destarea."""
    if not weights.is_conservative:
        return rows
    norm = weights.normalization.lower()
    factor = None
    if norm == "fracarea" and weights.target.frac is not None:
        factor = weights.target.frac
    elif norm == "none":
        if weights.target.area is None:
            raise WeightsError(
                f"{weights.path}: its weights are not normalised (normalization none), and it has no dst_grid_area"
            )
        factor = 1.0 / np.where(weights.target.area > 0, weights.target.area, np.inf)
    if factor is None:
        return rows
    if len(factor) != rows.count:
        raise WeightsError(
            f"{weights.path}: has fractions or areas of {len(factor)} target cells; expected {rows.count}"
        )
    return Rows(rows.first, rows.start, rows.source, rows.weight * np.repeat(factor, np.diff(rows.start)))


def _check_sums(weights: Foreign, rows: Rows, target: Grid | None) -> None:
    sums, has_links = rows.sums(), np.diff(rows.start) > 0
    if weights.is_conservative:
        bad = has_links & ~((sums <= 1.0 + ROUNDING) & (sums > -ROUNDING))
        expected = "at most 1"
        frac = weights.target.frac
        if not bad.any() and frac is not None and len(frac) == rows.count and np.any(frac):
            bad, expected = has_links & ~(np.abs(sums - frac) <= 1e-4), "the fraction in dst_grid_frac"
    elif weights.map_method:
        bad, expected = has_links & ~(np.abs(sums - 1.0) <= ROUNDING), "1"
    else:  # YAC's files and short ones of ESMF do not name the method
        bad, expected = has_links & ~((sums <= 1.0 + ROUNDING) & (sums > 0)), "more than 0 and at most 1"
    if bad.any():
        cell = int(np.flatnonzero(bad)[0])
        raise WeightsError(
            f"{weights.path}: the weights of target {_told(target, cell)} are not normalised: their sum is "
            f"{sums[cell]:.9g}; expected {expected}"
            + (f" ({int(bad.sum()) - 1} more rows are so)" if bad.sum() > 1 else "")
        )
