"""Rows of weights: constants, orders of convergence, conservation, poles, the date line, cells that touch."""

import numpy as np
import pytest
from support.weights import harmonic, icosahedron, lat_lon_of, needs_yac, rotated_lat_lon, tripolar
from tailrace.weights.grids import Cells, Healpix, LatLon, gaussian
from tailrace.weights.methods import make_rows

METHODS = ("conservative", "bilinear", "nearest", "average")
ORDER = {"conservative": 1, "bilinear": 2, "nearest": 1, "average": 1}


def rows_of(source, target, method):
    return make_rows(source, target, method, 0, target.cells).rows


def lat_lon(rows, columns, first=0.0):
    step = 180 / rows
    return LatLon(np.arange(-90 + step / 2, 90, step), first + np.arange(columns) * (360 / columns))


def rotated(rows, columns):
    centres, corners = rotated_lat_lon(rows, columns)
    return Cells((rows, columns), *centres, *corners, name="rotated grid")


def triangles(times):
    nodes, faces = icosahedron(times)
    lat, lon = lat_lon_of(nodes)
    return Cells((len(faces),), *lat_lon_of(nodes[faces].sum(axis=1)), lat[faces], lon[faces], name="triangles")


def _flat(pairs):
    return [values for pair in pairs for values in pair]


GRIDS = {
    "boxes": lambda: lat_lon(17, 31, first=-177.0),
    "gaussian": lambda: gaussian(6),
    "rotated": lambda: rotated(15, 28),
    "tripolar": lambda: Cells((15, 36), *_flat(tripolar(10, 36, 5)), name="tripolar grid"),
    "triangles": lambda: triangles(3),
    "nested": lambda: Healpix(3, "nested"),
    "ring": lambda: Healpix(2, "ring"),
}


@needs_yac
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("boxes", "triangles"),
        ("rotated", "boxes"),
        ("tripolar", "ring"),
        ("triangles", "gaussian"),
        ("nested", "boxes"),
        ("gaussian", "boxes"),
        ("nested", "ring"),
    ],
)
def test_constants_and_integrals_are_kept(source, target):
    source, target = GRIDS[source](), GRIDS[target]()
    assert source.areas().sum() == pytest.approx(4 * np.pi, rel=1e-12)
    for method in METHODS if source.name in ("tripolar grid", "triangles") else ("conservative", "bilinear"):
        rows = rows_of(source, target, method)
        assert np.abs(rows.sums() - 1).max() < 1e-12, method
        assert rows.weight.min() > 0
    rows = rows_of(source, target, "conservative")
    if isinstance(source, Healpix) and isinstance(target, Healpix):
        source.equal = target.equal = True
    random = np.random.default_rng(1)
    values = random.normal(size=source.cells) + 3
    for valid in (np.ones(source.cells), random.random(source.cells) < 0.6):
        before = np.sum(source.areas() * values * valid)
        after = np.sum(target.areas() * rows.apply_to(values * valid))
        assert abs(after / before - 1) < 1e-12
    # A field with one cell that is not 0 shows the integral of each cell.
    covered = np.bincount(rows.source, rows.weight * target.areas()[rows.targets()], source.cells)
    assert np.abs(covered / source.areas() - 1).max() < 1e-9  # YAC looks no closer at edges that almost touch


PAIRS = {
    "boxes to HEALPix": lambda n: (lat_lon(9 * n, 17 * n), Healpix(3, "ring")),
    "triangles to boxes": lambda n: (triangles(1 + int(np.log2(n))), lat_lon(19, 37)),
}


@needs_yac
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pair", PAIRS)
def test_errors_fall_with_the_order_of_the_method(pair, method):
    """The mean over source cells is exact enough as their value at the centre: it differs in second order."""
    errors = []
    for n in (1, 2, 4, 8):
        source, target = PAIRS[pair](n)
        value = harmonic(*source.centres())
        truth = conservative_truth(target) if method == "conservative" else harmonic(*target.centres())
        errors.append(np.sqrt(np.mean((rows_of(source, target, method).apply_to(value) - truth) ** 2)))
    slope = -np.polyfit(np.log2([1, 2, 4, 8]), np.log2(errors), 1)[0]
    assert slope > ORDER[method] - 0.3, errors
    assert errors[-1] < 0.05


def conservative_truth(target):
    """The mean of the function over each target cell: a midpoint rule on a fine HEALPix grid, by where points lie."""
    if target.name not in TRUTHS:
        fine = Healpix(6, "nested") if not isinstance(target, Healpix) else lat_lon(128, 256)
        TRUTHS[target.name] = rows_of(fine, target, "conservative").apply_to(harmonic(*fine.centres()))
    return TRUTHS[target.name]


TRUTHS: dict[str, np.ndarray] = {}


def test_boxes_that_touch_share_nothing():
    source = LatLon(np.array([5.0, 15.0]), np.array([5.0, 15.0]))  # 0 to 20 degrees
    target = LatLon(np.array([-5.0, 5.0, 15.0, 25.0]), np.array([-5.0, 5.0, 15.0, 25.0]))
    rows = rows_of(source, target, "conservative")
    assert np.diff(rows.start).tolist() == [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    assert rows.source.tolist() == [0, 1, 2, 3] and rows.weight.tolist() == pytest.approx([1] * 4, rel=1e-14)


@needs_yac
def test_cells_that_touch_at_one_point_share_nothing():
    """The source has every second cell, as on a chessboard: cells meet at corners only, and so do source and target."""
    whole = rotated(12, 22)
    j, i = np.divmod(np.arange(whole.cells), 22)
    kept = (i + j) % 2 == 0
    half = Cells((int(kept.sum()),), *(x[kept] for x in (*whole.centres(), *whole.corners())), name="chessboard")
    rows = rows_of(half, whole, "conservative")
    assert (np.diff(rows.start) == kept).all()
    assert (rows.source == np.arange(half.cells)).all() and np.abs(rows.weight - 1).max() < 1e-12


@pytest.mark.parametrize("method", ["conservative", "bilinear", "nearest"])
def test_where_longitudes_begin_does_not_matter(method):
    lat, step = np.linspace(-87, 87, 30), 7.2
    source = LatLon(lat, np.arange(50) * step)
    turned = LatLon(lat, np.arange(50) * step - 25 * step)  # begins at the date line
    for target in (lat_lon(18, 37, first=-180.0), Healpix(3, "ring")):
        if method == "conservative" and isinstance(target, Healpix):
            continue  # by YAC: the next test
        a, b = rows_of(source, target, method), rows_of(turned, target, method)
        values = np.random.default_rng(2).normal(size=(30, 50))
        assert np.abs(a.apply_to(values.ravel()) - b.apply_to(np.roll(values, 25, axis=1).ravel())).max() < 1e-12


@needs_yac
def test_the_date_line_and_the_poles_with_yac():
    source = LatLon(np.linspace(-87, 87, 30), np.arange(50) * 7.2)
    turned = LatLon(source.lat[::-1], np.arange(50) * 7.2 - 180)
    target, values = Healpix(3, "ring"), np.random.default_rng(2).normal(size=(30, 50))
    other = np.roll(values, 25, axis=1)[::-1]
    for method in ("conservative", "average"):
        a, b = rows_of(source, target, method), rows_of(turned, target, method)
        assert np.abs(a.apply_to(values.ravel()) - b.apply_to(other.ravel())).max() < 1e-12
    # The four northernmost cells reach the pole: each is made of the cells of the last rows in its quarter.
    rows = rows_of(source, target, "conservative")
    for cell in range(4):
        used = rows.source[rows.start[cell] : rows.start[cell + 1]]
        assert used.max() // 50 == 29
        lon = source.lon[used[used // 50 == 29] % 50]
        assert (np.abs((lon - 45 - 90 * cell + 180) % 360 - 180) < 45 + 7.2 / 2 + 1e-9).all()


def test_bilinear_crosses_the_pole():
    """A field that is linear in x, y and z near the pole is kept in second order, from both sides of it."""
    source = lat_lon(36, 75)
    target = LatLon(
        np.array([89.0, 89.9, 90.0]),
        np.arange(16) * 22.5,
        lat_bounds=np.array([[88.5, 89.5], [89.5, 89.95], [89.95, 90]]),
    )
    rows = rows_of(source, target, "bilinear")
    lat, lon = target.centres()
    x = np.cos(np.radians(lat)) * np.cos(np.radians(lon))
    values = np.cos(np.radians(source.centres()[0])) * np.cos(np.radians(source.centres()[1]))
    assert np.abs(rows.sums() - 1).max() < 1e-13 and np.diff(rows.start).max() <= 4
    assert np.abs(rows.apply_to(values) - x).max() < 1e-3


def test_regional_bilinear_has_no_rows_outside():
    source = LatLon(np.linspace(40, 60, 21), np.linspace(-10, 30, 41))
    target = LatLon(np.array([39.9, 40.0, 50.3, 60.0, 60.1]), np.array([-10.1, -10, 0.25, 30, 30.1]))
    filled = np.diff(rows_of(source, target, "bilinear").start).reshape(5, 5) > 0
    assert (filled == np.outer([0, 1, 1, 1, 0], [0, 1, 1, 1, 0])).all()


def test_nearest_takes_the_lowest_number_of_equals():
    source = lat_lon(4, 6)
    target = LatLon(np.array([0.0, 90.0]), np.array([30.0, 45.0]), lat_bounds=np.array([[-10.0, 10], [80, 90]]))
    rows = rows_of(source, target, "nearest")
    # On the equator between two rows, at a centre's longitude and within a cell; at the pole all of the last row.
    assert rows.source.tolist() == [6, 7, 18, 18]
    distance = np.sum((source.points[:, None] - target.points[None]) ** 2, axis=-1)
    equal = distance <= distance.min(axis=0) + 1e-12
    assert rows.source.tolist() == [int(np.flatnonzero(column)[0]) for column in equal.T]


def test_nearest_is_nearest():
    source, target = triangles(2), lat_lon(11, 23)
    distance = np.sum((source.points[:, None] - target.points[None]) ** 2, axis=-1)
    assert (rows_of(source, target, "nearest").source == distance.argmin(axis=0)).all()


@pytest.mark.parametrize("orders", [("nested", "nested"), ("ring", "ring"), ("ring", "nested")])
def test_healpix_families(orders):
    """By the centres of cells: the parent is the cell in which a child lies."""
    from tailrace.weights.healpix import cell_of_points

    fine, coarse = Healpix(4, orders[0]), Healpix(2, orders[1])
    parent = coarse.from_nested(cell_of_points(2, fine.points))
    down = rows_of(coarse, fine, "conservative")
    assert (down.source == parent).all() and (down.weight == 1).all()
    up = rows_of(fine, coarse, "conservative")
    assert (parent[up.source] == up.targets()).all() and (up.weight == 1 / 16).all() and up.links == fine.cells


def test_healpix_numbers_and_places():
    healpy = pytest.importorskip("healpy")
    from tailrace.weights import healpix

    for level in range(8):
        cell = np.arange(healpix.cells_of(level))
        assert (healpix.nested_to_ring(level, cell) == healpy.nest2ring(1 << level, cell)).all()
        assert (healpix.ring_to_nested(level, cell) == healpy.ring2nest(1 << level, cell)).all()
        lat, lon = healpix.centres(level, cell)
        expected = healpy.pix2ang(1 << level, cell, nest=True, lonlat=True)
        assert np.abs(lat - expected[1]).max() < 1e-12
        assert np.abs((lon - expected[0] + 180) % 360 - 180).max() < 1e-12
        assert (healpix.cell_of_points(level, Healpix(level, "nested").points) == cell).all()


def test_gaussian_latitudes():
    places, weights = np.polynomial.legendre.leggauss(64)
    grid = gaussian(32)
    assert np.abs(np.sin(np.radians(grid.lat)) - places[::-1]).max() < 1e-14
    assert grid.shape == (64, 128) and grid.north[0] == 90 and grid.south[-1] == -90
    assert np.abs(np.sin(np.radians(grid.north)) - np.sin(np.radians(grid.south)) - weights).max() < 1e-3
