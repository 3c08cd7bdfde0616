"""HEALPix files are what readers of HEALPix know, and the levels of pyramids are means of four cells, bit for bit."""

import importlib.util
import os
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import Job, field, inline, model
from support.reading import read
from support.regridding import lat_lon_grid
from support.values import History, varying_times
from support.weights import needs_cdo

TIMES = varying_times(6, seed=4)
ROWS, COLUMNS = 36, 75
# Level 9 has three million cells.
LEVELS = (0, 1, 3, 6, 9) if os.environ.get("TAILRACE_TEST_FAULTS") else (0, 3, 6)
FILES = [(level, order) for level in LEVELS for order in ("nested", "ring")]


def needs(module: str):
    return pytest.mark.skipif(importlib.util.find_spec(module) is None, reason=f"needs the Python package {module}")


def name_of(level: int, order: str) -> str:
    return f"{order}_{level}.nc"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    files = {
        name_of(level, order): {
            "regrid": {"to": {"healpix": {"level": level, "order": order}}, "method": "nearest"},
            "variables": [{"field": "w", "time": "snapshot", "every": "3 s"}],
        }
        for level, order in FILES
    }
    files["pyramid.nc"] = {
        "regrid": {"to": {"healpix": {"level": 4}}, "method": "bilinear"},
        "pyramid": {"levels": 4},
        "variables": [
            {"field": "w", "name": "w_mean", "time": "mean", "every": "3 s"},
            {"field": "w", "name": "w_max", "time": "max", "every": "3 s"},
            {"field": "w", "name": "w_min", "time": "min", "every": "3 s"},
            {"field": "t", "name": "t_mean", "time": "mean", "every": "3 s"},
        ],
    }
    config = {"fields": {"state": {"every": "1 step", "names": ["w", "t"]}}, "output": files}
    grid = lat_lon_grid(shape=(ROWS, COLUMNS))
    scenario = {"grids": [grid], "fields": [field("w", "globe"), field("t", "globe", "float32")], "times": TIMES}
    return Job(tmp_path_factory.mktemp("healpix"))(
        model(1, **scenario), inline(), config=config, timeout=180
    ).finished()


def nearest_cells(lat: np.ndarray, lon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The source cell whose centre is nearest, and by how much (degrees) the next one is further away."""
    rows = -90 + (np.arange(ROWS) + 0.5) * 180 / ROWS
    columns = (np.arange(COLUMNS) + 0.5) * 360 / COLUMNS
    column_of = np.argsort(np.abs((lon[:, None] - columns + 180) % 360 - 180), axis=1)[:, :2]
    candidates = column_of[:, None, :] + np.zeros((1, ROWS, 1), int)
    a, b = np.radians(lat)[:, None, None], np.radians(rows)[None, :, None]
    apart = np.radians(lon[:, None, None] - columns[candidates])
    angle = np.degrees(np.arccos(np.clip(np.sin(a) * np.sin(b) + np.cos(a) * np.cos(b) * np.cos(apart), -1, 1)))
    cells = (np.arange(ROWS)[None, :, None] * COLUMNS + candidates).reshape(len(lat), -1)
    order = np.argsort(angle.reshape(len(lat), -1), axis=1)[:, :2]
    near = np.take_along_axis(angle.reshape(len(lat), -1), order, axis=1)
    return np.take_along_axis(cells, order[:, :1], axis=1)[:, 0], near[:, 1] - near[:, 0]


def expect_places(done, level: int, order: str, lat: np.ndarray, lon: np.ndarray) -> None:
    """The values of the file are those of the source at these places of its cells."""
    values = read(done.path(name_of(level, order)))["w"].values
    _, source = History.of(0, (ROWS, COLUMNS), TIMES).snapshots(3.0)
    step = max(1, len(lat) // 2000)
    cells, lead = nearest_cells(lat[::step], lon[::step])
    sure = lead > 1e-6
    assert sure.mean() > 0.5
    assert np.array_equal(values[:, ::step][:, sure], source.reshape(len(source), -1)[:, cells[sure]])


@pytest.mark.parametrize(("level", "order"), FILES)
def test_the_grid_mapping_is_that_of_cf(done, level, order):
    with netCDF4.Dataset(done.path(name_of(level, order))) as data:
        mapping = data[data["w"].grid_mapping]
        has = {name: mapping.getncattr(name) for name in mapping.ncattrs()}
        assert has == {"grid_mapping_name": "healpix", "refinement_level": level, "indexing_scheme": order}
        cell = data["cell"]
        assert cell.standard_name == "healpix_index" and cell.dtype == np.int64
        assert np.array_equal(cell[:], np.arange(12 * 4**level))
        assert data["w"].dimensions[-1] == "cell"


@needs("healpy")
@pytest.mark.parametrize(("level", "order"), FILES)
def test_healpy_finds_the_values_where_they_are(done, level, order):
    import healpy

    lon, lat = healpy.pix2ang(2**level, np.arange(12 * 4**level), nest=order == "nested", lonlat=True)
    expect_places(done, level, order, lat, lon)


@needs("cdshealpix")
@pytest.mark.parametrize(("level", "order"), FILES)
def test_cdshealpix_finds_the_values_where_they_are(done, level, order):
    import cdshealpix.nested
    import cdshealpix.ring

    cells = np.arange(12 * 4**level, dtype=np.uint64)
    if order == "nested":
        lon, lat = cdshealpix.nested.healpix_to_lonlat(cells, level)
    else:
        lon, lat = cdshealpix.ring.healpix_to_lonlat(cells, 2**level)
    expect_places(done, level, order, lat.deg, lon.deg)


@needs("xdggs")
@pytest.mark.parametrize(("level", "order"), FILES)
def test_xdggs_decodes_the_grid(done, level, order):
    import xdggs

    with xr.open_dataset(done.path(name_of(level, order)), decode_times=False) as data:
        decoded = xdggs.decode(data, convention="cf")
        assert decoded.dggs.grid_info.level == level
        assert decoded.dggs.grid_info.indexing_scheme == order
        centres = decoded.dggs.cell_centers()
        expect_places(done, level, order, centres.latitude.values, centres.longitude.values % 360)


# A program of its own: what easy.gems and xdggs load ends a process that has both with an error of malloc.
BY_EASY_GEMS = """
import sys
import xarray as xr
from easygems import healpix
with xr.open_dataset(sys.argv[1], decode_times=False, decode_coords="all") as data:
    print(healpix.get_nside(data["w"]), healpix.is_nested(data["w"]))
"""


@needs("easygems")
@needs("cartopy")
@needs("cf_xarray")
@pytest.mark.parametrize(("level", "order"), [(0, "nested"), (3, "ring")])
def test_easy_gems_knows_the_grid(done, level, order):
    command = [sys.executable, "-c", BY_EASY_GEMS, done.path(name_of(level, order))]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert told.stdout.split() == [str(2**level), str(order == "nested")], told.stderr


@needs_cdo
@pytest.mark.parametrize(("level", "order"), FILES)
def test_cdo_reads_the_values(done, level, order):
    """CDO 2.1 does not know the places of HEALPix cells in files; later ones do."""
    path = done.path(name_of(level, order))
    told = subprocess.run(["cdo", "-s", "outputf,%.17g,1", path], capture_output=True, text=True, timeout=60)
    assert told.returncode == 0, told.stderr
    values = read(path)["w"].values.ravel()
    assert np.array_equal(np.array(told.stdout.split(), dtype=np.float64), values)


@pytest.mark.parametrize("coarser", [1, 2, 3, 4])
def test_levels_of_a_pyramid_are_made_of_the_next_finer_one(done, coarser):
    def name(level: int) -> str:
        return "pyramid.nc" if level == 4 else f"pyramid_z{level}.nc"

    finer, made = read(done.path(name(5 - coarser))), read(done.path(name(4 - coarser)))
    assert made.sizes["cell"] == 12 * 4 ** (4 - coarser)
    for variable in ("w_mean", "t_mean", "w_max", "w_min"):
        children = finer[variable].values.astype(np.float64).reshape(*finer[variable].shape[:-1], -1, 4)
        mean = (children[..., 0] + children[..., 1] + children[..., 2] + children[..., 3]) / 4
        expected = {"max": children.max(-1), "min": children.min(-1)}.get(variable[-3:], mean)
        got = made[variable].values
        assert got.dtype == finer[variable].dtype
        assert got.tobytes() == expected.astype(got.dtype).tobytes(), variable


def test_a_pyramid_keeps_the_mean(done):
    means = [
        read(done.path(name))["w_mean"].mean("cell").values
        for name in ("pyramid.nc", *(f"pyramid_z{z}.nc" for z in range(4)))
    ]
    for mean in means[1:]:
        assert mean == pytest.approx(means[0], rel=1e-14)
