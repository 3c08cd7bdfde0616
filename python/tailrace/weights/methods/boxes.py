"""Lat-lon boxes from lat-lon boxes: the area that two boxes share is the product of what they share along each axis."""

from __future__ import annotations

import numpy as np

from ..grids import LatLon
from ..rows import Floats, Ints, Rows, rows_of_links
from ..sphere import band_heights

LEAST = 1e-12  # degrees: what two intervals share must be more, or they only touch


def conservative(source: LatLon, target: LatLon, first: int, count: int) -> Rows:
    """The slice is made of whole rows of the target."""
    slow, length = first // target.unit, count // target.unit
    lat_span = slice(slow, slow + length) if target.lat_first else slice(None)
    lon_span = slice(None) if target.lat_first else slice(slow, slow + length)
    tj, sj, lat_share = _shared_bands(source, target, lat_span)
    ti, si, lon_share = _shared_sectors(source, target, lon_span)
    # Every pair of bands with every pair of sectors.
    weight = np.multiply.outer(lat_share, lon_share).ravel()
    target_cell = _numbers(target, tj, ti)
    source_cell = _numbers(source, sj, si)
    return rows_of_links(first, count, target_cell, source_cell, weight)


def _numbers(grid: LatLon, j: Ints, i: Ints) -> Ints:
    if grid.lat_first:
        return np.add.outer(j * len(grid.lon), i).ravel()
    return np.add.outer(j, i * len(grid.lat)).ravel()


def _shared_bands(source: LatLon, target: LatLon, span: slice) -> tuple[Ints, Ints, Floats]:
    """The numbers of bands of the target, those of the source, and the shares of their areas."""
    south, north = target.south[span], target.north[span]
    t, s, low, high = _overlaps(source.south, source.north, south, north)
    share = band_heights(low, high) / band_heights(south, north)[t]
    return t + (span.start or 0), s, share


def _shared_sectors(source: LatLon, target: LatLon, span: slice) -> tuple[Ints, Ints, Floats]:
    west, east = target.west[span], target.east[span]
    found = []
    turn = np.floor((np.min(source.west) - np.max(east)) / 360.0)
    while turn * 360.0 + np.min(west) < np.max(source.east):
        t, s, low, high = _overlaps(source.west, source.east, west + turn * 360.0, east + turn * 360.0)
        found.append((t, s, (high - low) / (east - west)[t]))
        turn += 1.0
    t, s, share = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return t + (span.start or 0), s, share


def _overlaps(low: Floats, high: Floats, begin: Floats, end: Floats) -> tuple[Ints, Ints, Floats, Floats]:
    """Intervals low ... high do not overlap each other; those of begin ... end neither. Pairs that share something:
    number of the second, number of the first, and what they share."""
    order = np.argsort(low, kind="stable")
    lows, highs = low[order], high[order]
    left = np.searchsorted(highs, begin, side="right")
    right = np.searchsorted(lows, end, side="left")
    lengths = np.maximum(right - left, 0)
    t = np.repeat(np.arange(len(begin)), lengths)
    place = np.arange(len(t)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(left, lengths)
    shared_low, shared_high = np.maximum(lows[place], begin[t]), np.minimum(highs[place], end[t])
    kept = shared_high - shared_low > LEAST
    return t[kept], order[place[kept]], shared_low[kept], shared_high[kept]
