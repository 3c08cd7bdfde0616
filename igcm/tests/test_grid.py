"""Connectivity and geometry of the grids of igcm/grid, against NumPy and SciPy."""

import math

import numpy as np
import pytest
from grids import keys, made, run
from numpy_sphere import Sphere, arc, area, bisected, dot, triangulate, unit
from scipy.spatial import KDTree

GRIDS = {
    "plain": ("R2B3",),
    "thirds": ("R3B2",),
    "springs": ("R5B1", "--relax", "spring", "--iterations", 300),
    "centroidal": ("R3B2", "--relax", "centroidal", "--iterations", 300, "--mesh", "hexagons"),
    "nicam": ("R2B2", "--centre", "centroid"),
    "smallest": ("R1B0",),
    "eighty": ("R2B0",),
}


@pytest.fixture(scope="module", params=GRIDS)
def grid(request, tmp_path_factory):
    return made(tmp_path_factory.mktemp("grid"), *GRIDS[request.param])


@pytest.fixture(scope="module")
def sphere(grid):
    """The same points in NumPy."""
    return Sphere(grid.vertex, grid.centroids)


@pytest.mark.parametrize("root, level", [(2, 3), (3, 2)])
def test_points_are_those_of_the_bisection(root, level, tmp_path):
    own, theirs = made(tmp_path, f"R{root}B{level}").vertex, bisected(root, level)
    assert len(own) == len(theirs) == 10 * (root * 2**level) ** 2 + 2
    distance, at = KDTree(theirs).query(own)
    assert distance.max() < 1e-14
    assert len(set(at)) == len(own)


def test_triangles_are_delaunay(grid):
    theirs = triangulate(grid.vertex)
    assert sorted(keys(*grid.vertex_of_cell.T)) == sorted(keys(*theirs.T))
    a, b, c = (grid.vertex[grid.vertex_of_cell[:, k]] for k in range(3))
    assert np.all(dot(np.cross(b - a, c - a), a) > 0), "counter-clockwise"


def test_cells_and_edges_agree(grid):
    cells = np.arange(len(grid.cell_area))
    assert sorted(keys(*grid.edge_vertices.T)) == sorted(set(keys(*grid.edge_vertices.T)))
    for k in range(3):
        edge, out = grid.edge_of_cell[:, k], grid.orientation_of_normal[:, k] == 1
        ends = grid.edge_vertices[edge]
        assert np.array_equal(np.where(out, ends[:, 0], ends[:, 1]), grid.vertex_of_cell[:, k])
        assert np.array_equal(np.where(out, ends[:, 1], ends[:, 0]), grid.vertex_of_cell[:, (k + 1) % 3])
        sides = grid.adjacent_cell_of_edge[edge]
        assert np.array_equal(np.where(out, sides[:, 0], sides[:, 1]), cells)
        assert np.array_equal(np.where(out, sides[:, 1], sides[:, 0]), grid.neighbor_cell_index[:, k])


def test_vertices_are_surrounded(grid):
    assert sorted(np.bincount(grid.degree)[5:].tolist()) == sorted([12, len(grid.degree) - 12][: 2 - (grid.side == 1)])
    for v, degree in enumerate(grid.degree):
        assert np.all(grid.cells_of_vertex[v, degree:] == -1)
        assert np.all(grid.edge_orientation[v, degree:] == 0)
        for k in range(degree):
            edge, next_cell = grid.edges_of_vertex[v, k], grid.cells_of_vertex[v, (k + 1) % degree]
            ends = [v, grid.vertices_of_vertex[v, k]][:: int(grid.edge_orientation[v, k])]
            assert ends == grid.edge_vertices[edge].tolist()
            sides = [next_cell, grid.cells_of_vertex[v, k]][:: int(grid.edge_orientation[v, k])]
            assert sides == grid.adjacent_cell_of_edge[edge].tolist()


def test_areas_of_the_sphere(grid):
    whole = 4 * math.pi * grid.radius**2
    for areas in (grid.cell_area, grid.dual_area, grid.kite_area.ravel()):
        assert abs(math.fsum(areas) / whole - 1) < 1e-14
    assert np.allclose(grid.kite_area.sum(axis=1), grid.cell_area, rtol=1e-13)
    of_hexagons = np.bincount(grid.vertex_of_cell.ravel(), grid.kite_area.ravel())
    assert np.allclose(of_hexagons, grid.dual_area, rtol=1e-12)


def test_geometry_is_that_of_numpy(grid, sphere):
    at = {key: k for k, key in enumerate(keys(*sphere.triangles.T))}
    order = [at[key] for key in keys(*grid.vertex_of_cell.T)]
    assert np.allclose(grid.cell_centre, sphere.centres[order], rtol=0, atol=1e-12)
    r2 = grid.radius**2
    assert np.allclose(grid.cell_area, r2 * sphere.triangle_areas[order], rtol=1e-9)
    assert np.allclose(grid.dual_area, r2 * sphere.polygon_areas, rtol=1e-9)
    a, b = (grid.vertex[grid.edge_vertices[:, k]] for k in range(2))
    left, right = (grid.cell_centre[grid.adjacent_cell_of_edge[:, k]] for k in range(2))
    assert np.allclose(grid.edge_length, grid.radius * arc(a, b), rtol=1e-13)
    assert np.allclose(grid.dual_edge_length, grid.radius * arc(left, right), rtol=1e-12)
    corner, point = grid.vertex[grid.vertex_of_cell], grid.edge_point[grid.edge_of_cell]
    for k in range(3):
        kite = area(corner[:, k], point[:, k], grid.cell_centre) + area(corner[:, k], point[:, k - 1], grid.cell_centre)
        assert np.allclose(grid.kite_area[:, k], r2 * kite, rtol=1e-8)


def test_normals(grid):
    a, b = (grid.vertex[grid.edge_vertices[:, k]] for k in range(2))
    left, right = (grid.cell_centre[grid.adjacent_cell_of_edge[:, k]] for k in range(2))
    for normal, along, to in ((grid.primal_normal, b - a, right - left), (grid.dual_normal, right - left, b - a)):
        assert np.allclose(np.linalg.norm(normal, axis=1), 1, rtol=0, atol=1e-15)
        assert np.abs(dot(normal, unit(along))).max() < 1e-12
        assert dot(normal, unit(to)).min() > 0.9
    for start, end in ((a, b), (left, right)):  # the point lies on both arcs
        assert np.abs(dot(grid.edge_point, unit(np.cross(start, end)))).max() < 1e-14
    assert np.abs(dot(grid.primal_normal, grid.edge_point)).max() < 1e-12


def test_circumcentres_make_voronoi_polygons(grid):
    corners = grid.vertex[grid.vertex_of_cell]
    distances = arc(corners, grid.cell_centre[:, None])
    unequal = np.ptp(distances, axis=1) / distances[:, 0]
    assert (unequal.max() > 1e-3) if grid.centroids else (unequal.max() < 1e-12)


def test_springs_are_at_rest(tmp_path):
    grid = made(tmp_path, *GRIDS["springs"])
    rest = 0.4 * 2 * np.pi / (5 * grid.side)
    force = np.zeros_like(grid.vertex)
    for v, degree in enumerate(grid.degree):
        others, here = grid.vertex[grid.vertices_of_vertex[v, :degree]], grid.vertex[v]
        along = unit(others - dot(others, here)[:, None] * here)
        force[v] = ((arc(here, others) - rest)[:, None] * along).sum(axis=0)
    moving = grid.degree == 6
    assert np.linalg.norm(force[moving], axis=1).max() < 1e-6 * rest


def test_centroidal_points_are_centroids(tmp_path):
    grid = made(tmp_path, *GRIDS["centroidal"])
    sphere = Sphere(grid.vertex)
    p, _, first, second = sphere.wedges
    a, b, c = grid.vertex[p], sphere.centres[first], sphere.centres[second]
    moment = area(a, b, c)[:, None] * (a + b + c)
    centroid = unit(np.stack([np.bincount(p, moment[:, k]) for k in range(3)], axis=1))
    off = np.linalg.norm(centroid - grid.vertex, axis=1)[grid.degree == 6]
    assert off.max() < 1e-6 / grid.side


def test_numbers_follow_a_curve(tmp_path):
    grid = made(tmp_path, "R3B2")
    owners = len(grid.degree) - 2
    following = (grid.vertices_of_vertex[: owners - 1] == np.arange(1, owners)[:, None]).any(axis=1)
    assert following.all(), "each vertex is a neighbour of the one before"
    first_cells = grid.vertex_of_cell[::2, 0]
    assert np.array_equal(first_cells, np.arange(owners))
    # A sixteenth is compact: it has fewer walls to the rest than four times those of a square.
    part = (np.arange(len(grid.cell_area)) * 16) // len(grid.cell_area)
    cut = part[grid.adjacent_cell_of_edge[:, 0]] != part[grid.adjacent_cell_of_edge[:, 1]]
    walls_of_part = np.bincount(part[grid.adjacent_cell_of_edge[cut]].ravel(), minlength=16)
    assert walls_of_part.max() < 4 * 4 * math.sqrt(owners / 16) / 2


def test_threads_do_not_change_a_bit(tmp_path):
    one, three = (made(tmp_path, "R2B4", "--relax", "spring", "--iterations", 3, "--threads", n) for n in (1, 3))
    for name in one.names:
        assert getattr(one, name).tobytes() == getattr(three, name).tobytes(), name


def test_the_view_from_fortran(tmp_path):
    lines = run("fortran_view").splitlines()
    assert lines[0] == "refused root: expected at least 1, not 0"
    told = {line.split()[0]: [float(word) for word in line.split()[1:]] for line in lines[1:]}
    grid = made(tmp_path, "R3B2", "--relax", "spring", "--iterations", 20)
    assert told["sizes"] == [len(grid.cell_area), len(grid.edge_length), len(grid.dual_area)]
    assert told["wrong"] == [0]
    for name in ("vertex_of_cell", "edge_of_cell", "neighbor_cell_index", "edge_vertices", "vertices_of_vertex",
                 "edges_of_vertex", "cells_of_vertex"):  # fmt: skip
        array = getattr(grid, name).astype(np.int64) + 1
        assert told[name] == [np.sum(array * np.arange(1, array.shape[1] + 1))], name
    for name in ("degree", "edge_orientation", "cell_area", "dual_area", "kite_area", "edge_length",
                 "dual_edge_length"):  # fmt: skip
        assert told[name] == pytest.approx([getattr(grid, name).astype(float).sum()], rel=1e-12), name
    for name, at in {"vertex": 1, "primal_normal": 2, "dual_normal": 3, "cell_centre": 4, "edge_point": 5}.items():
        assert told[f"{name}_{at}"] == getattr(grid, name)[at - 1].tolist()
