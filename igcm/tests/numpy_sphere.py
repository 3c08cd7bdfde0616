"""Icosahedral grids and their operators in NumPy, written from the definitions and without the numbers of igcm/grid.

A grid here is a set of points and a set of triangles. Its dual comes from angles around each point, its triangulation
from a convex hull, areas from l'Huilier's formula. Vectors are rows of three numbers, the sphere has radius 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull


def unit(a: np.ndarray) -> np.ndarray:
    return a / np.linalg.norm(a, axis=-1, keepdims=True)


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.sum(a * b, axis=-1)


def arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), dot(a, b))


def area(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Areas of spherical triangles by l'Huilier's formula, without a sign."""
    x, y, z = arc(b, c), arc(c, a), arc(a, b)
    s = (x + y + z) / 2
    product = np.tan(s / 2) * np.tan((s - x) / 2) * np.tan((s - y) / 2) * np.tan((s - z) / 2)
    return 4 * np.arctan(np.sqrt(np.maximum(product, 0)))


def icosahedron() -> np.ndarray:
    ring = np.radians(72.0) * np.arange(5)
    z, r = np.sin(np.arctan(0.5)), np.cos(np.arctan(0.5))
    north = np.stack([r * np.cos(ring), r * np.sin(ring), np.full(5, z)], axis=1)
    south = np.stack([r * np.cos(ring + np.pi / 5), r * np.sin(ring + np.pi / 5), np.full(5, -z)], axis=1)
    return np.concatenate([[[0, 0, 1], [0, 0, -1]], north, south])


def triangulate(points: np.ndarray) -> np.ndarray:
    """The Delaunay triangulation on the sphere: the faces of the convex hull, counter-clockwise from outside."""
    faces = ConvexHull(points).simplices
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = dot(np.cross(b - a, c - a), a) < 0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return faces


def refine(points: np.ndarray, parts: int) -> np.ndarray:
    """Each edge of the triangulation in two or three parts; three add the middle of each triangle."""
    faces = triangulate(points)
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    if parts == 2:
        return np.concatenate([points, unit(a + b)])
    angle = arc(a, b)[:, None]
    thirds = [(np.sin(angle * (1 - t)) * a + np.sin(angle * t) * b) / np.sin(angle) for t in (1 / 3, 2 / 3)]
    return np.concatenate([points, *thirds, unit(points[faces].sum(axis=1))])


def bisected(root: int, level: int) -> np.ndarray:
    points = refine(icosahedron(), root)
    for _ in range(level):
        points = refine(points, 2)
    return points


@dataclass
class Sphere:
    points: np.ndarray
    centroids: bool = False  # centres of the triangles; else circumcentres

    @cached_property
    def triangles(self) -> np.ndarray:
        return triangulate(self.points)

    @cached_property
    def corners(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return tuple(self.points[self.triangles[:, k]] for k in range(3))

    @cached_property
    def centres(self) -> np.ndarray:
        a, b, c = self.corners
        return unit(a + b + c) if self.centroids else unit(np.cross(b, c) + np.cross(c, a) + np.cross(a, b))

    @cached_property
    def triangle_areas(self) -> np.ndarray:
        return area(*self.corners)

    @cached_property
    def sides(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the edges, as points."""
        f = self.triangles
        edges = np.unique(np.sort(np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]), axis=1), axis=0)
        return edges[:, 0], edges[:, 1]

    @cached_property
    def wedges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Pairs of triangles that follow each other around a point: point, neighbour between them, first, second."""
        around = {}
        for number, face in enumerate(self.triangles.tolist()):
            for k in range(3):  # the corner, and the corners behind and before it
                around[face[k], face[(k + 1) % 3]] = (face[(k + 2) % 3], number)
        rows = [(p, q, around[q, p][1], number) for (p, q), (_, number) in around.items()]
        return tuple(np.array(rows).T)

    @cached_property
    def polygon_areas(self) -> np.ndarray:
        p, _, first, second = self.wedges
        return np.bincount(p, area(self.points[p], self.centres[first], self.centres[second]))

    @cached_property
    def degrees(self) -> np.ndarray:
        return np.bincount(self.wedges[0])


def sides_of_triangles(sphere: Sphere):
    """For k = 0..2: the middle of a side, its outward normal and its length."""
    for k in range(3):
        a, b = sphere.corners[k], sphere.corners[(k + 1) % 3]
        yield unit(a + b), unit(np.cross(b - a, a + b)), arc(a, b)


def walls(sphere: Sphere):
    """For each pair of triangles around a point: the crossing point, the outward normal and the length of the wall."""
    p, q, first, second = sphere.wedges
    a, b = sphere.points[p], sphere.points[q]
    left, right = sphere.centres[second], sphere.centres[first]
    return unit(a + b), unit(np.cross(left - right, left + right)), arc(left, right)


def on_points(sphere: Sphere, values: np.ndarray) -> np.ndarray:
    """Sums what each pair of triangles contributes to its point, by the area of the polygon."""
    p = sphere.wedges[0]
    if values.ndim == 1:
        return np.bincount(p, values) / sphere.polygon_areas
    return np.stack([np.bincount(p, values[:, k]) / sphere.polygon_areas for k in range(3)], axis=1)
