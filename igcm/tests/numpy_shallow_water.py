"""Shallow water on both C grids in NumPy, from the equations of Ringler et al. (2010) and of shallow_water.hpp.

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


class RungeKutta:
    """The part that both grids share. A model has `g`, `at` (places of the depth), `normal` (of u) and `tendencies`."""

    def initial(self) -> tuple[np.ndarray, np.ndarray]:
        depth, _, _ = rossby_haurwitz(self.g.radius, *angles(self.at))
        lon, lat = angles(self.g.edge_point)
        _, east, north = rossby_haurwitz(self.g.radius, lon, lat)
        zero = np.zeros_like(lon)
        to_east = np.stack([-np.sin(lon), np.cos(lon), zero], axis=1)
        to_north = np.stack([-np.sin(lat) * np.cos(lon), -np.sin(lat) * np.sin(lon), np.cos(lat)], axis=1)
        return depth, dot(east[:, None] * to_east + north[:, None] * to_north, self.normal)

    def step(self, h: np.ndarray, u: np.ndarray, dt: float) -> tuple[np.ndarray, np.ndarray]:
        self.dt = dt
        k1 = self.tendencies(h, u)
        k2 = self.tendencies(h + dt / 2 * k1[0], u + dt / 2 * k1[1])
        k3 = self.tendencies(h + dt / 2 * k2[0], u + dt / 2 * k2[1])
        k4 = self.tendencies(h + dt * k3[0], u + dt * k3[1])
        return tuple(y + dt / 6 * (a + 2 * b + 2 * c + d) for y, a, b, c, d in zip((h, u), k1, k2, k3, k4, strict=True))


class Hexagons(RungeKutta):
    def __init__(self, grid: Grid, upwinding: float = 0, viscosity: float = 0):
        self.g, self.at, self.normal = grid, grid.vertex, grid.dual_normal
        self.upwinding, self.viscosity = upwinding, viscosity
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

    def vorticity(self, u: np.ndarray) -> np.ndarray:
        return self.circulation @ (self.g.edge_length * u) / self.g.cell_area

    def upwind(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The gradient of q times the wind, at edges."""
        g = self.g
        first, second = g.edge_vertices.T
        left, right = g.adjacent_cell_of_edge.T
        in_hexagons = self.shares.T @ q
        along = (q[left] - q[right]) / g.dual_edge_length * (self.turned @ (g.dual_edge_length * u)) / g.edge_length
        return along + (in_hexagons[second] - in_hexagons[first]) / g.edge_length * u

    def diffusion(self, h: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g = self.g
        first, second = g.edge_vertices.T
        left, right = g.adjacent_cell_of_edge.T
        divergence = self.outflow @ (g.dual_edge_length * u) / g.dual_area
        curl = self.vorticity(u)
        change = (divergence[second] - divergence[first]) / g.edge_length
        change -= (curl[left] - curl[right]) / g.dual_edge_length
        return self.outflow @ (g.dual_edge_length / g.edge_length * (h[second] - h[first])) / g.dual_area, change

    def tendencies(self, h: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g = self.g
        first, second = g.edge_vertices.T
        flux = (h[first] + h[second]) / 2 * u * g.dual_edge_length
        q = (self.vorticity(u) + self.coriolis) / (self.kites @ h / g.cell_area)
        at_edges = q[g.adjacent_cell_of_edge].mean(axis=1) - self.upwinding * self.dt * self.upwind(q, u)
        kinetic = self.inside @ (g.edge_length * g.dual_edge_length * u**2) / (4 * g.dual_area)
        b = GRAVITY * h + kinetic
        turned = (at_edges * (self.turned @ flux) + self.turned @ (at_edges * flux)) / 2
        spread = self.diffusion(h, u)
        change = -(self.outflow @ flux) / g.dual_area, (turned - (b[second] - b[first])) / g.edge_length
        return tuple(a + self.viscosity * d for a, d in zip(change, spread, strict=True))


class Triangles(RungeKutta):
    """Averages of the divergence and their adjoint; q F at vertices and back (Korn and Linardakis 2018)."""

    def __init__(self, grid: Grid, damping: float = 0.01):
        g = grid
        self.g, self.at, self.normal, self.damping = grid, grid.cell_centre, grid.primal_normal, damping
        cells, edges, vertices = len(g.cell_area), len(g.edge_length), len(g.dual_area)
        row, here = np.repeat(np.arange(cells), 3), g.edge_of_cell.ravel()
        self.outflow = csr_array((g.orientation_of_normal.ravel(), (row, here)), (cells, edges))
        self.inside = abs(self.outflow)
        first, second = g.adjacent_cell_of_edge.T
        one = np.ones(edges)
        every = np.arange(edges)
        self.difference = csr_array((one, (every, second)), (edges, cells)) - csr_array(
            (one, (every, first)), (edges, cells)
        )
        self.mean = abs(self.difference) / 2
        ratio = g.edge_length / g.dual_edge_length
        coefficient = self.mean @ (g.cell_area / (2 * (self.inside @ ratio)))
        self.moved = coefficient * ratio
        self.kites = csr_array((g.kite_area.ravel(), (g.vertex_of_cell.ravel(), row)), (vertices, cells))
        middle = g.cell_centre[first] + g.cell_centre[second]
        middle /= np.linalg.norm(middle, axis=1)[:, None]
        self.spokes = []  # at the vertices 0 and 1 of the edges, where the normal turns clockwise and counter-clockwise
        for sign, ends in ((-1, g.edge_vertices[:, 0]), (1, g.edge_vertices[:, 1])):
            x = g.vertex[ends]
            self.spokes.append((ends, sign * g.radius * (middle - dot(middle, x)[:, None] * x)))
        self.ends = csr_array((one, (g.edge_vertices[:, 1], every)), (vertices, edges)) - csr_array(
            (one, (g.edge_vertices[:, 0], every)), (vertices, edges)
        )
        self.coriolis = 2 * ROTATION * g.vertex[:, 2]

    def averaged(self, field: np.ndarray) -> np.ndarray:
        return field + self.outflow @ (self.moved * (self.difference @ field)) / self.g.cell_area

    def vorticity(self, u: np.ndarray) -> np.ndarray:
        return self.ends @ (self.g.dual_edge_length * u) / self.g.dual_area

    def tendencies(self, h: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g = self.g
        flux = (self.mean @ h) * u
        q = (self.vorticity(u) + self.coriolis) / (self.kites @ h / g.dual_area)
        b = GRAVITY * h + self.inside @ (g.edge_length * g.dual_edge_length * u**2) / (4 * g.cell_area)
        at_vertices = np.zeros_like(g.vertex)
        for ends, spoke in self.spokes:
            np.add.at(at_vertices, ends, (g.dual_edge_length * flux)[:, None] * spoke)
        at_vertices = (q / g.dual_area)[:, None] * np.cross(g.vertex, at_vertices)
        turned = -sum(dot(spoke, at_vertices[ends]) for ends, spoke in self.spokes) / g.edge_length
        divergence = self.outflow @ (g.edge_length * u) / g.cell_area
        damped = (
            self.damping
            / self.dt
            * (self.mean @ g.cell_area)
            * (self.difference @ (divergence - self.averaged(divergence)))
        )
        change = turned + (damped - self.difference @ self.averaged(b)) / g.dual_edge_length
        return -self.averaged(self.outflow @ (g.edge_length * flux) / g.cell_area), change
