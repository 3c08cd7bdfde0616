"""Chooses the program that makes the rows of a method for two grids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..checks import rows_of_file
from ..errors import MissingPackage, WeightsError
from ..foreign import read_weights
from ..grids import Grid, Healpix, LatLon
from ..rows import Rows
from . import boxes, families, rectilinear, with_cdo, with_yac
from .nearest import nearest

METHODS = ("conservative", "bilinear", "nearest", "average", "largest_area")


@dataclass
class Made:
    rows: Rows
    made_by: str  # program and version


def make_rows(source: Grid, target: Grid, method: str, first: int, count: int) -> Made:
    """The rows of target cells first ... first + count - 1. Raises WeightsError."""
    if method not in METHODS:
        raise WeightsError(f"method {method!r} is unknown (known: {', '.join(METHODS)})")
    rows = _simple(source, target, method, first, count)
    if rows is not None:
        return Made(rows, ours())
    basis = "conservative" if method == "largest_area" else method  # its greatest weights count
    reason = with_yac.MISSING
    if with_yac.is_there():
        try:
            return Made(*with_yac.rows(source, target, basis, first, count))
        except MissingPackage as error:
            reason = str(error)
    if with_cdo.makes(source, basis):
        return Made(*with_cdo.rows(source, target, basis, first, count))
    raise MissingPackage(f"method {method} from {source.name} to {target.name} cannot be made: {reason}")


def _simple(source: Grid, target: Grid, method: str, first: int, count: int) -> Rows | None:
    if method == "nearest":
        return nearest(source, target, first, count)
    if method in ("conservative", "largest_area"):
        if isinstance(source, LatLon) and isinstance(target, LatLon):
            return boxes.conservative(source, target, first, count)
        if isinstance(source, Healpix) and isinstance(target, Healpix):
            return families.conservative(source, target, first, count)
    if method == "bilinear" and isinstance(source, LatLon):
        return rectilinear.bilinear(source, target, first, count)
    return None


def ours() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"Tailrace {version('tailrace')}"
    except PackageNotFoundError:  # the links of a build tree have no metadata
        return "Tailrace"


def rows_of_others(path: Path, source: Grid, target: Grid, first: int, count: int) -> tuple[Made, str]:
    """Rows of a file that another program made for these grids, checked, and its map_method."""
    foreign = read_weights(path)
    rows = rows_of_file(foreign, source, target)
    return Made(rows.part(first, count), foreign.made_by), foreign.map_method
