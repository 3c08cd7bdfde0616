"""Bilinear from a grid with latitudes and longitudes of its own: between two latitudes and two longitudes.

Beyond the outermost row of a global grid, the value at a point is taken between the two ends of the meridian that
crosses the pole: second order there too, with at most four source cells. There are no rows for what lies outside the
outermost centres of a regional grid.
"""

from __future__ import annotations

import numpy as np

from ..grids import Grid, LatLon
from ..rows import Floats, Ints, Rows, rows_of_links

ROUND = 1e-12  # degrees: a point this near to the outermost centre is on it


def bilinear(source: LatLon, target: Grid, first: int, count: int) -> Rows:
    lat, lon = target.centres(first, count)
    left, right, east, inside_lon = _between(source, lon)
    low, high, north, beyond = _rows(source, lat)
    inside = inside_lon & (~beyond | (_reaches_pole(source, lat) & source.is_cyclic))
    number = np.arange(first, first + count)
    far_left, far_right, far_east, _ = _between(source, np.where(beyond, lon + 180.0, lon))
    links = [
        (low, left, (1 - north) * (1 - east)),
        (low, right, (1 - north) * east),
        (high, np.where(beyond, far_left, left), north * (1 - np.where(beyond, far_east, east))),
        (high, np.where(beyond, far_right, right), north * np.where(beyond, far_east, east)),
    ]
    cells = [(j * len(source.lon) + i if source.lat_first else i * len(source.lat) + j) for j, i, _ in links]
    weight = np.concatenate([weight for *_, weight in links])
    kept = (weight > 0) & np.tile(inside, 4)
    return rows_of_links(first, count, np.tile(number, 4)[kept], np.concatenate(cells)[kept], weight[kept])


def _between(source: LatLon, lon: Floats) -> tuple[Ints, Ints, Floats, np.ndarray]:
    """The centres to the west and east of longitudes, the share of the eastern one, and whether there are any."""
    order = np.argsort(source.lon)
    places = source.lon[order]
    turned = places[0] + (lon - places[0]) % 360.0
    turned = np.where(turned - places[0] > 360.0 - ROUND, places[0], turned)
    if source.is_cyclic:
        places, order = np.append(places, places[0] + 360.0), np.append(order, order[0])
    inside = turned <= places[-1] + ROUND
    west = np.clip(np.searchsorted(places, turned, side="right") - 1, 0, max(len(places) - 2, 0))
    east = np.minimum(west + 1, len(places) - 1)
    step = np.where(east > west, places[east] - places[west], 1.0)
    return order[west], order[east], np.clip((turned - places[west]) / step, 0.0, 1.0), inside


def _reaches_pole(source: LatLon, lat: Floats) -> np.ndarray:
    """Whether the pole of the hemisphere of each latitude is no more than a row from the outermost centre."""
    places = np.sort(source.lat)
    steps = np.diff(places) if len(places) > 1 else np.array([180.0])
    return np.where(lat < 0, places[0] - steps[0] <= -90.0 + 1e-6, places[-1] + steps[-1] >= 90.0 - 1e-6)


def _rows(source: LatLon, lat: Floats) -> tuple[Ints, Ints, Floats, np.ndarray]:
    """The rows below and above latitudes, the share of the one above, and which latitudes lie beyond the last row; both
    rows are then the last one, and the share is that of the far side of the pole."""
    order = np.argsort(source.lat)
    places = source.lat[order]
    south = np.clip(np.searchsorted(places, lat, side="right") - 1, 0, max(len(places) - 2, 0))
    north = np.minimum(south + 1, len(places) - 1)
    step = np.where(north > south, places[north] - places[south], 1.0)
    share = np.clip((lat - places[south]) / step, 0.0, 1.0)
    beyond = (lat < places[0] - ROUND) | (lat > places[-1] + ROUND)
    last = np.where(lat < places[0], 0, len(places) - 1)
    to_pole = np.maximum(90.0 - np.abs(places[last]), ROUND)
    across = np.clip((np.abs(lat) - np.abs(places[last])) / (2.0 * to_pole), 0.0, 0.5)
    low, high = np.where(beyond, last, south), np.where(beyond, last, north)
    return order[low], order[high], np.where(beyond, across, share), beyond
