"""Each process defines only its own cells in YAC: parts of a grid fit together as the polygons of the whole."""

import itertools

import numpy as np
import pytest
from support.weights import icosahedron, lat_lon_of
from tailrace.weights.errors import WeightsError
from tailrace.weights.grids import Cells, Healpix, LatLon, gaussian
from tailrace.weights.polygons import NEAR, polygons_of
from tailrace.weights.sphere import to_xyz
from tailrace.yac import vertices
from tailrace.yac.vertices import polygons_of_part


def triangles(level=2):
    nodes, faces = icosahedron(level)
    corners = (values[faces] for values in lat_lon_of(nodes))
    centres = lat_lon_of(nodes[faces].mean(axis=1))
    return Cells((len(faces),), *centres, *corners)


def with_noise(grid):
    """As of a file in which each cell has rounded its own corners: equal to 1e-12 radii."""
    noise = 1e-10 * np.random.default_rng(3).uniform(-0.5, 0.5, (2, *grid.lat_corners.shape))
    return Cells(grid.shape, grid.lat, grid.lon, grid.lat_corners + noise[0], grid.lon_corners + noise[1])


def pentagons_with_hexagons():
    """Around the nodes of triangles: the corners of pentagons are repeated."""
    nodes, faces = icosahedron(2)
    middles = nodes[faces].mean(axis=1)
    middles /= np.linalg.norm(middles, axis=1)[:, None]
    lat, lon = lat_lon_of(middles)
    around = np.empty((len(nodes), 6), int)
    for node, place in enumerate(nodes):
        own = np.flatnonzero((faces == node).any(axis=1))
        east = np.cross([0.3, 0.5, 0.8], place)
        turn = np.arctan2(middles[own] @ np.cross(place, east), middles[own] @ east)
        own = own[np.argsort(turn)]
        around[node] = own if len(own) == 6 else [*own, own[-1]]
    return Cells((len(nodes),), *lat_lon_of(nodes), lat[around], lon[around])


def rows(lat_first):
    lat, lon = np.array([-75.0, -30, 10, 60, 85]), np.array([10.0, 100, 190, 300])
    return LatLon(lat, lon, lat_first=lat_first)


GRIDS = {
    "rows from the south": lambda: rows(True),
    "columns": lambda: rows(False),
    "a region": lambda: LatLon(np.arange(30.0, 40), np.arange(-5.0, 8)),
    "one row": lambda: LatLon(np.array([0.0]), np.arange(0.0, 360, 45), np.array([[-10.0, 10.0]])),
    "gaussian": lambda: gaussian(3),
    "HEALPix 0": lambda: Healpix(0, "nested"),
    "HEALPix 2 nested": lambda: Healpix(2, "nested"),
    "HEALPix 3 ring": lambda: Healpix(3, "ring"),
    "triangles": triangles,
    "rounded triangles": lambda: with_noise(triangles()),
    "hexagons": pentagons_with_hexagons,
}


def parts_of(grid, parts):
    unit = grid.shape[-1] if len(grid.shape) == 2 else 1
    units = grid.cells // unit
    bounds = [units * part // parts * unit for part in range(parts + 1)]
    return [(first, end - first) for first, end in itertools.pairwise(bounds) if end > first]


@pytest.mark.parametrize("parts", [1, 3, 5])
@pytest.mark.parametrize("name", GRIDS)
def test_parts_fit_together(name, parts, monkeypatch):
    monkeypatch.setattr(vertices, "AT_ONCE", 37)  # so that a small grid is looked at in pieces
    grid = GRIDS[name]()
    whole = polygons_of(grid, np.arange(grid.cells), "a test")
    counts, numbers, points = [], [], {}
    for first, count in parts_of(grid, parts):
        own, ids = polygons_of_part(grid, first, count)
        counts.append(own.count)
        numbers.append(ids[own.vertex])
        for number, lat, lon in zip(ids.tolist(), own.lat, own.lon, strict=True):
            assert points.setdefault(number, (lat, lon)) == (lat, lon)  # the same bits in all parts
    numbers = np.concatenate(numbers)
    assert np.array_equal(np.concatenate(counts), whole.count)
    pairs = np.unique(np.stack((numbers, whole.vertex)), axis=1)
    assert pairs.shape[1] == len(points) == len(whole.lat)  # the same corners are one
    here, there = (to_xyz(*np.array([*zip(*(points[n] for n in pairs[0]), strict=True)])), to_xyz(whole.lat, whole.lon))
    assert np.abs(here - there[pairs[1]]).max() < 10 * NEAR


def test_healpix_numbers_are_all_below_the_number_of_corners():
    for level in (0, 1, 4):
        _, ids = polygons_of_part(Healpix(level, "nested"), 0, 12 * 4**level)
        assert np.array_equal(ids, np.arange(12 * 4**level + 2))


def test_only_cells_that_touch_the_part_are_merged(monkeypatch):
    grid = triangles(4)
    merged_points = []
    merged = vertices.merged
    monkeypatch.setattr(vertices, "merged", lambda points: merged_points.append(len(points)) or merged(points))
    polygons_of_part(grid, 100, 10)
    assert 10 * 3 <= merged_points[0] <= 100 * 3 < 3 * grid.cells


def test_mistakes_of_a_grid_are_told():
    grid = triangles()
    grid.lat_corners[7], grid.lon_corners[7] = grid.lat_corners[7, 0], grid.lon_corners[7, 0]
    with pytest.raises(WeightsError, match=r"cell 7 .*is degenerate: fewer than 3 distinct corners"):
        polygons_of_part(grid, 5, 4)
    with pytest.raises(WeightsError, match=r"more cells or corners than YAC can number"):
        polygons_of_part(Healpix(14, "nested"), 0, 1)
