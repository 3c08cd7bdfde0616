"""Shallow water on the hexagonal C grid in NumPy, from the equations of Ringler et al. (2010).

Takes the connectivity and geometry of a grid file; matrices act on global arrays. Williamson's cases are written in
longitude and latitude, as published.
"""

import numpy as np
from grids import Grid
from numpy_sphere import dot
from scipy.sparse import csr_array

GRAVITY, ROTATION = 9.80616, 7.292e-5


def rossby_haurwitz(radius: float, lon: np.ndarray, lat: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth and wind to the east and the north (Williamson et al. 1992, equations 143 to 149)."""
    w = k = 7.848e-6
    r, c, s = 4, np.cos(lat), np.sin(lat)
    a = w / 2 * (2 * ROTATION + w) * c**2 + k**2 / 4 * (
        c ** (2 * r) * ((r + 1) * c**2 + 2 * r**2 - r - 2) - 2 * r**2 * c ** (2 * r - 2)
    )
    b = 2 * (ROTATION + w) * k / ((r + 1) * (r + 2)) * c**r * (r**2 + 2 * r + 2 - (r + 1) ** 2 * c**2)
    d = k**2 / 4 * c ** (2 * r) * ((r + 1) * c**2 - r - 2)
    depth = 8000 + radius**2 / GRAVITY * (a + b * np.cos(r * lon) + d * np.cos(2 * r * lon))
    east = radius * w * c + radius * k * c ** (r - 1) * (r * s**2 - c**2) * np.cos(r * lon)
    return depth, east, -radius * k * r * c ** (r - 1) * s * np.sin(r * lon)


def angles(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.arctan2(p[:, 1], p[:, 0]), np.arcsin(np.clip(p[:, 2], -1, 1))


class Model:
    def __init__(self, grid: Grid):
        self.g = grid
        cells, edges, vertices = len(grid.cell_area), len(grid.edge_length), len(grid.dual_area)
        rows = np.repeat(np.arange(vertices), grid.degree)
        there = grid.edges_of_vertex >= 0
        around = grid.edges_of_vertex[there]
        self.outflow = csr_array((grid.edge_orientation[there], (rows, around)), (vertices, edges))
        self.inside = csr_array((np.ones(len(rows)), (rows, around)), (vertices, edges))
        corner = np.repeat(np.arange(cells), 3)
        turn = grid.orientation_of_normal.ravel()
        self.circulation = csr_array((turn, (corner, grid.edge_of_cell.ravel())), (cells, edges))
        self.kites = csr_array((grid.kite_area.ravel(), (corner, grid.vertex_of_cell.ravel())), (cells, vertices))
        self.shares = (self.kites / grid.dual_area).tocsr()  # [cell, vertex]: they sum to 1 over the cells of a vertex
        self.turned = self.weights(edges)
        self.coriolis = 2 * ROTATION * grid.cell_centre[:, 2]

    def weights(self, edges: int) -> csr_array:
        rows, columns, values = [], [], []
        for v, degree in enumerate(self.g.degree):
            ring, sign = self.g.edges_of_vertex[v, :degree], self.g.edge_orientation[v, :degree]
            share = [self.shares[c, v] for c in self.g.cells_of_vertex[v, :degree]]
            for i in range(degree):
                for steps in range(1, degree):
                    j = (i + steps) % degree
                    passed = sum(share[(i + s) % degree] for s in range(1, steps + 1))
                    rows.append(ring[i])
                    columns.append(ring[j])
                    values.append(float(sign[i]) * float(sign[j]) * (0.5 - passed))
        return csr_array((values, (rows, columns)), (edges, edges))

    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        depth, _, _ = rossby_haurwitz(self.g.radius, *angles(self.g.vertex))
        lon, lat = angles(self.g.edge_point)
        _, east, north = rossby_haurwitz(self.g.radius, lon, lat)
        zero = np.zeros_like(lon)
        to_east = np.stack([-np.sin(lon), np.cos(lon), zero], axis=1)
        to_north = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], axis=1)
        return depth, dot(east[:, None] * to_east + north[:, None] * to_north, self.g.dual_normal)

    def vorticity(self, u: np.ndarray) -> np.ndarray:
        return self.circulation @ (self.g.edge_length * u) / self.g.cell_area

    def tendencies(self, h: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g = self.g
        first, second = g.edge_vertices.T
        flux = (h[first] + h[second]) / 2 * u * g.dual_edge_length
        q = (self.vorticity(u) + self.coriolis) / (self.kites @ h / g.cell_area)
        at_edges = q[g.adjacent_cell_of_edge].mean(axis=1)
        kinetic = self.inside @ (g.edge_length * g.dual_edge_length * u**2) / (4 * g.dual_area)
        b = GRAVITY * h + kinetic
        turned = (at_edges * (self.turned @ flux) + self.turned @ (at_edges * flux)) / 2
        return -(self.outflow @ flux) / g.dual_area, (turned - (b[second] - b[first])) / g.edge_length

    def step(self, h: np.ndarray, u: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
        k1 = self.tendencies(h, u)
        k2 = self.tendencies(h + dt / 2 * k1[0], u + dt / 2 * k1[1])
        k3 = self.tendencies(h + dt / 2 * k2[0], u + dt / 2 * k2[1])
        k4 = self.tendencies(h + dt * k3[0], u + dt * k3[1])
        return tuple(y + dt / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((h, u), k1, k2, k3, k4, strict=True))
