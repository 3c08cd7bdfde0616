"""Numbers, centres and corners of HEALPix cells, for arrays of them (Gorski et al. 2005, ApJ 622, 759).

A cell is (face, x, y): x grows to the north-east and y to the north-west within one of the twelve faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .sphere import Floats

Ints = NDArray[np.int64]

ROW_OF_FACE = np.array([2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4])
LON_OF_FACE = np.array([1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7])  # in units of 45 degrees
SPREAD = (
    (16, 0x0000FFFF0000FFFF),
    (8, 0x00FF00FF00FF00FF),
    (4, 0x0F0F0F0F0F0F0F0F),
    (2, 0x3333333333333333),
    (1, 0x5555555555555555),
)


def cells_of(level: int) -> int:
    return 12 << (2 * level)


def _spread(bits: Ints) -> Ints:
    """Bit k goes to bit 2 k."""
    for shift, mask in SPREAD:
        bits = (bits | (bits << shift)) & mask
    return bits


def _gather(bits: Ints) -> Ints:
    bits = bits & SPREAD[-1][1]
    for (shift, _), (_, mask) in zip(SPREAD[::-1], [*SPREAD[-2::-1], (0, 0x00000000FFFFFFFF)], strict=True):
        bits = (bits | (bits >> shift)) & mask
    return bits


def nested_to_xyf(level: int, cell: Ints) -> tuple[Ints, Ints, Ints]:
    inside = cell & ((1 << (2 * level)) - 1)
    return _gather(inside), _gather(inside >> 1), cell >> (2 * level)


def xyf_to_nested(level: int, x: Ints, y: Ints, face: Ints) -> Ints:
    return (face << (2 * level)) + _spread(x) + (_spread(y) << 1)


def _root(number: Ints) -> Ints:
    """The whole part of the square root."""
    root = np.sqrt(number.astype(np.float64)).astype(np.int64)
    root -= root * root > number
    return root + ((root + 1) * (root + 1) <= number)


def ring_to_nested(level: int, cell: Ints) -> Ints:
    side = 1 << level
    cap, cells = 2 * side * (side - 1), cells_of(level)
    north, south = cell < cap, cell >= cells - cap
    # Rings of the caps have 4, 8, 12 ... cells; those of the belt 4 * side.
    in_cap = np.where(north, cell, cells - 1 - cell)
    ring_of_cap = (1 + _root(np.where(north | south, 1 + 2 * in_cap, 1))) >> 1
    place_in_cap = in_cap - 2 * ring_of_cap * (ring_of_cap - 1)
    belt = np.where(north | south, 0, cell - cap)
    ring = np.where(north, ring_of_cap, np.where(south, 4 * side - ring_of_cap, belt // (4 * side) + side))
    length = np.where(north | south, ring_of_cap, side)
    place = np.where(north, place_in_cap, np.where(south, 4 * length - 1 - place_in_cap, belt % (4 * side)))
    shifted = np.where(north | south, 0, (ring - side) & 1)
    rising = ring - side + 1  # of the belt
    falling = 2 * side + 2 - rising
    up = (place - rising // 2 + side) // side  # no cell of the belt is negative here
    down = (place - falling // 2 + side) // side
    face_of_belt = np.where(up == down, up | 4, np.where(down < up, down, up + 8))
    face = np.where(north, place // length, np.where(south, place // length + 8, face_of_belt))
    from_top = ring - ROW_OF_FACE[face] * side + 1
    across = 2 * (place + 1) - LON_OF_FACE[face] * length - shifted - 1
    across = np.where(across >= 2 * side, across - 8 * side, across)
    return xyf_to_nested(level, (across - from_top) >> 1, (-(across + from_top)) >> 1, face)


def nested_to_ring(level: int, cell: Ints) -> Ints:
    side = 1 << level
    x, y, face = nested_to_xyf(level, cell)
    ring = ROW_OF_FACE[face] * side - x - y - 1
    north, south = ring < side, ring > 3 * side
    length = np.where(north, ring, np.where(south, 4 * side - ring, side))
    before = np.where(
        north,
        2 * ring * (ring - 1),
        np.where(south, cells_of(level) - 2 * (length + 1) * length, 2 * side * (side - 1) + (ring - side) * 4 * side),
    )
    shifted = np.where(north | south, 0, (ring - side) & 1)
    place = (LON_OF_FACE[face] * length + x - y + 1 + shifted) // 2
    place = np.where(place > 4 * length, place - 4 * length, np.where(place < 1, place + 4 * length, place))
    return before + place - 1


def _places(x: Floats, y: Floats, face: Ints) -> tuple[Floats, Floats]:
    """Latitude and longitude of points of faces; x and y are shares of a face, 0 to 1."""
    down = ROW_OF_FACE[face] - x - y  # 0 at the north pole, 4 at the south pole
    cap = np.minimum(down, 4.0 - down)  # below 1 in the polar caps
    polar = cap < 1.0
    width = np.where(polar, cap, 1.0)
    rest = width * width / 3.0  # 1 - |z| in a cap
    z = np.where(polar, np.where(down < 2.0, 1.0 - rest, rest - 1.0), (2.0 - down) * (2.0 / 3.0))
    ring = np.where(polar, np.sqrt(rest * (2.0 - rest)), np.sqrt((1.0 - z) * (1.0 + z)))
    along = LON_OF_FACE[face] * width + x - y
    lon = np.where(width < 1e-15, 0.0, 45.0 * along / np.where(width < 1e-15, 1.0, width))
    return np.degrees(np.arctan2(z, ring)), lon % 360.0


def centres(level: int, nested: Ints) -> tuple[Floats, Floats]:
    x, y, face = nested_to_xyf(level, nested)
    return _places((x + 0.5) / (1 << level), (y + 0.5) / (1 << level), face)


def corners(level: int, nested: Ints, on_edge: int = 1) -> tuple[Floats, Floats]:
    """(cell, 4 * on_edge): north, west, south, east, to the left seen from outside; with `on_edge` above 1 further
    points on the curved edges."""
    x, y, face = (part[:, None] for part in nested_to_xyf(level, nested))
    step = np.arange(on_edge) / on_edge
    one, none = np.ones(on_edge), np.zeros(on_edge)
    dx = np.concatenate((one - step, none, step, one))  # north to west, west to south, south to east, east to north
    dy = np.concatenate((one, one - step, none, step))
    lat, lon = _places((x + dx) / (1 << level), (y + dy) / (1 << level), np.broadcast_to(face, (len(x), len(dx))))
    # At a pole the longitude is arbitrary: that of the centre keeps polygons of plotting programs narrow.
    return lat, np.where(np.abs(lat) == 90.0, centres(level, nested)[1][:, None], lon)


def cell_of_points(level: int, points: Floats) -> Ints:
    """The nested number of the cell that each point (point, 3) lies in."""
    side = 1 << level
    z = points[:, 2]
    turn = np.arctan2(points[:, 1], points[:, 0]) % (2.0 * np.pi) / (np.pi / 2.0)  # [0, 4)
    turn = np.where(turn >= 4.0, 0.0, turn)
    above = np.abs(z)
    polar = above > 2.0 / 3.0
    # In the belt, lines of constant x and of constant y cross; they are counted from the west.
    rising = np.floor(side * (0.5 + turn) - side * z * 0.75).astype(np.int64)
    falling = np.floor(side * (0.5 + turn) + side * z * 0.75).astype(np.int64)
    up, down = rising // side, falling // side
    face = np.where(up == down, (up & 3) | 4, np.where(up < down, up, down + 8))
    x, y = falling & (side - 1), side - (rising & (side - 1)) - 1
    # In a cap, they meet at the pole.
    quarter = np.minimum(turn.astype(np.int64), 3)
    share = turn - quarter
    width = side * np.hypot(points[:, 0], points[:, 1]) / np.sqrt((1.0 + above) / 3.0)
    a = np.minimum((share * width).astype(np.int64), side - 1)
    b = np.minimum(((1.0 - share) * width).astype(np.int64), side - 1)
    north = z > 0
    return xyf_to_nested(
        level,
        np.where(polar, np.where(north, side - b - 1, a), x),
        np.where(polar, np.where(north, side - a - 1, b), y),
        np.where(polar, np.where(north, quarter, quarter + 8), face),
    )
