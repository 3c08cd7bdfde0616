"""Corners of curvilinear cells that have none: in the middle of four centres."""

from __future__ import annotations

import numpy as np

from ..sphere import Floats, to_lat_lon, to_xyz


def corners_between(lat: Floats, lon: Floats, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """(cell, 4), in order round the cell. Good enough to find the neighbours of a cell, not for its area. Outermost
    corners lie half a cell outside, or in the seam where the last column touches the first one."""
    points = to_xyz(lat, lon).reshape(*shape, 3)
    padded = np.concatenate((2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]))
    if _has_seam(points):
        padded = np.concatenate((padded[:, -1:], padded, padded[:, :1]), axis=1)
    else:
        left, right = 2 * padded[:, :1] - padded[:, 1:2], 2 * padded[:, -1:] - padded[:, -2:-1]
        padded = np.concatenate((left, padded, right), axis=1)
    middle = padded[:-1, :-1] + padded[:-1, 1:] + padded[1:, :-1] + padded[1:, 1:]
    middle /= np.linalg.norm(middle, axis=-1, keepdims=True)
    of_cells = np.stack((middle[:-1, :-1], middle[:-1, 1:], middle[1:, 1:], middle[1:, :-1]), axis=2)
    corner_lat, corner_lon = to_lat_lon(of_cells.reshape(-1, 4, 3))
    return corner_lat, corner_lon


def _has_seam(points: Floats) -> bool:
    """In each row the last cell is as near to the first one as neighbours are."""
    gap = np.linalg.norm(points[:, -1] - points[:, 0], axis=-1)
    steps = np.linalg.norm(np.diff(points, axis=1), axis=-1).max(axis=1)
    return bool((gap <= 1.5 * steps).all())
