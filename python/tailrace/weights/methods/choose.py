"""Which program makes the rows of a method for two grids."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import WeightsError
from ..grids import Grid, Healpix, LatLon
from ..rows import Rows
from . import boxes, families
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
    if method == "nearest":
        return Made(nearest(source, target, first, count), ours())
    if method in ("conservative", "largest_area"):
        if isinstance(source, LatLon) and isinstance(target, LatLon):
            return Made(boxes.conservative(source, target, first, count), ours())
        if isinstance(source, Healpix) and isinstance(target, Healpix):
            return Made(families.conservative(source, target, first, count), ours())
    raise WeightsError(f"method {method} from {source.name} to {target.name} is not made yet")


def ours() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"Tailrace {version('tailrace')}"
    except PackageNotFoundError:  # the links of a build tree have no metadata
        return "Tailrace"
