"""Points, polygons and boxes on the unit sphere. Angles are degrees in arguments, areas are steradians."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def to_xyz(lat: Floats, lon: Floats) -> Floats:
    """(..., 3). The poles are exact, so that all longitudes of a pole give the same point."""
    phi, theta = np.radians(lon), np.radians(lat)
    ring = np.where(np.abs(lat) == 90.0, 0.0, np.cos(theta))
    return np.stack((ring * np.cos(phi), ring * np.sin(phi), np.sin(theta)), axis=-1)


def to_lat_lon(xyz: Floats) -> tuple[Floats, Floats]:
    """Latitude, and longitude in [0, 360)."""
    x, y, z = np.moveaxis(xyz, -1, 0)
    return np.degrees(np.arctan2(z, np.hypot(x, y))), np.degrees(np.arctan2(y, x)) % 360.0


def signed_triangle_areas(a: Floats, b: Floats, c: Floats) -> Floats:
    """The areas of triangles of great circles, positive if a, b, c are counterclockwise (Van Oosterom, Strackee 1983).
    The triple product is that of differences, which keeps the digits of small triangles."""
    triple = np.sum(a * np.cross(b - a, c - a), axis=-1)
    below = 1.0 + np.sum(a * b, axis=-1) + np.sum(b * c, axis=-1) + np.sum(c * a, axis=-1)
    return 2.0 * np.arctan2(triple, below)


def polygon_areas(corners: Floats) -> Floats:
    """Areas of polygons (cell, corner, 3) between great circles, negative if they are clockwise. A corner that is
    repeated adds nothing."""
    total = np.zeros(corners.shape[0])
    for i in range(1, corners.shape[1] - 1):
        total += signed_triangle_areas(corners[:, 0], corners[:, i], corners[:, i + 1])
    return total


def band_heights(low: Floats, high: Floats) -> Floats:
    """sin(high) - sin(low), with all digits of narrow bands."""
    low, high = np.radians(low), np.radians(high)
    return 2.0 * np.cos((low + high) / 2.0) * np.sin((high - low) / 2.0)


def polygon_radii(centres: Floats, corners: Floats) -> Floats:
    """The longest distance (of chords) of a centre from its corners, by cell."""
    return np.sqrt(np.max(np.sum((corners - centres[:, None, :]) ** 2, axis=-1), axis=1))
