"""Regridded values are those that NumPy and CDO make of the same fields with the same weights."""

import subprocess

import netCDF4
import numpy as np
import pytest
from support.harness import Job, field, model, servers
from support.reading import read
from support.regridding import Weights, areas_of, is_of, lat_lon_grid, weights_of
from support.values import History, missing_cells, varying_times
from support.weights import needs_cdo

TIMES = varying_times(14, seed=3)
SHAPE, FLAT = (3, 13, 24), (11, 19)
BOXES = (9, 18)
FILL = -999.0
W, ICE, LAND = 0, 1, 2  # numbers of the fields below
LAT_LON, HEALPIX = {"latlon": "20 deg"}, {"healpix": {"level": 3}}


def variables(*kinds: str, of: str = "w", every: str = "4 s") -> list[dict]:
    return [{"field": of, "name": f"{of}_{kind}", "time": kind, "every": every} for kind in kinds]


CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["w", "ice", "land"]}},
    "output": {
        "conservative.nc": {
            "regrid": {"to": LAT_LON, "method": "conservative"},
            "variables": [
                *variables("snapshot", "mean", "sum", "min", "max", "std"),
                *variables("snapshot", of="land"),
            ],
        },
        "missing.nc": {
            "regrid": {"to": LAT_LON, "method": "conservative", "coverage": 0.6, "with_fraction": True},
            "variables": variables("snapshot", "mean", "max", of="ice"),
        },
        "flux.nc": {
            "regrid": {"to": LAT_LON, "method": "conservative", "coverage": 0, "normalisation": "destarea"},
            "variables": variables("snapshot", of="ice"),
        },
        "bilinear.nc": {"regrid": {"to": HEALPIX, "method": "bilinear"}, "variables": variables("mean")},
        "nearest.nc": {"regrid": {"to": {"gaussian": "F4"}, "method": "nearest"}, "variables": variables("max")},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    scenario = {
        "grids": [lat_lon_grid(), lat_lon_grid("flat", FLAT)],
        "fields": [field("w", "globe"), field("ice", "globe", fill_value=FILL), field("land", "flat", "float32")],
        "times": TIMES,
    }
    return Job(tmp_path_factory.mktemp("values"))(
        model(3, **scenario), servers(2), config=CONFIG, timeout=180
    ).finished()


def samples_of_ice() -> list[np.ndarray]:
    """NaN where a cell is missing."""
    history = History.of(ICE, SHAPE, TIMES)
    return [np.where(missing_cells(SHAPE, i + 1), np.nan, value) for i, value in enumerate(history.values)]


def flat(values: np.ndarray) -> np.ndarray:
    return np.asarray(values).reshape(*np.shape(values)[:-2], -1)


def found(done, file: str, variable: str) -> np.ndarray:
    """(record, level, cell), NaN where it is missing."""
    data = read(done.path(file))[variable]
    values = data.values.astype(np.float64)
    if data.dims[-1] == "lon":
        values = flat(values)
    fill = data.attrs.get("_FillValue")
    return values if fill is None else np.where(values == fill, np.nan, values)


def expect(found: np.ndarray, expected: np.ndarray, precision: float = 1e-13) -> None:
    assert found.shape == expected.shape
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    scale = np.nanmax(np.abs(expected))
    assert np.nanmax(np.abs(found - expected)) <= precision * scale


def of_globe(done, method: str) -> Weights:
    return weights_of(done.folder, method, SHAPE[1] * SHAPE[2])


def reduced(samples: list[np.ndarray], kind: str, every: float) -> np.ndarray:
    """Windows of samples with NaN where they are missing, which do not count."""
    history = History(0.0, TIMES, samples)
    made = []
    for window in history.windows(every):
        weights, _, values = history.overlaps(window)
        column = np.where(np.isnan(values), 0.0, weights.reshape(-1, *(1,) * (values.ndim - 1)))
        with np.errstate(invalid="ignore"):
            mean = (column * np.nan_to_num(values)).sum(axis=0) / column.sum(axis=0)
        made.append(
            mean if kind == "mean" else np.where(np.isnan(mean), np.nan, np.nanmax(values, axis=0, initial=-1e9))
        )
    return np.array(made)


@pytest.mark.parametrize("kind", ["mean", "sum"])
def test_windows_that_are_reduced_first(done, kind):
    expected = of_globe(done, "conservative").apply(flat(History.of(W, SHAPE, TIMES).reduced(kind, 4.0)))
    expect(found(done, "conservative.nc", f"w_{kind}"), expected)


@pytest.mark.parametrize("kind", ["min", "max", "std"])
def test_windows_that_are_reduced_on_the_target(done, kind):
    weights = of_globe(done, "conservative")
    samples = [weights.apply(flat(value)) for value in History.of(W, SHAPE, TIMES).values]
    expect(found(done, "conservative.nc", f"w_{kind}"), History(0.0, TIMES, samples).reduced(kind, 4.0), 1e-12)


def test_snapshots(done):
    times, expected = History.of(W, SHAPE, TIMES).snapshots(4.0)
    expect(found(done, "conservative.nc", "w_snapshot"), of_globe(done, "conservative").apply(flat(expected)))
    assert read(done.path("conservative.nc"))["w_snapshot"].dims[0].startswith("time") and len(times) > 3


def test_float32_without_levels(done):
    weights = weights_of(done.folder, "conservative", FLAT[0] * FLAT[1])
    _, expected = History.of(LAND, FLAT, TIMES, "float32").snapshots(4.0)
    got = found(done, "conservative.nc", "land_snapshot")
    expect(got, weights.apply(flat(expected)), 2.0**-23)


def test_missing_values_that_change(done):
    weights = of_globe(done, "conservative")
    samples = [weights.apply(flat(value), coverage=0.6) for value in samples_of_ice()]
    for kind in ("mean", "max"):
        expect(found(done, "missing.nc", f"ice_{kind}"), reduced(samples, kind, 4.0), 1e-12)
    _, expected = History(0.0, TIMES, samples).snapshots(4.0)
    assert 0.05 < np.isnan(expected).mean() < 0.95  # there are both
    expect(found(done, "missing.nc", "ice_snapshot"), expected)


def test_the_valid_share(done):
    weights = of_globe(done, "conservative")
    shares = [np.array([weights.shares(~np.isnan(level)) for level in flat(value)]) for value in samples_of_ice()]
    _, expected = History(0.0, TIMES, shares).snapshots(4.0)
    expect(found(done, "missing.nc", "ice_snapshot_fraction"), expected, 2.0**-23)  # in float32


def test_a_flux_keeps_its_integral_with_missing_cells(done):
    _, expected = History(0.0, TIMES, samples_of_ice()).snapshots(4.0)
    got = found(done, "flux.nc", "ice_snapshot")
    expect(got, of_globe(done, "conservative").apply(flat(expected), coverage=0.0, destarea=True))
    integral = (np.nan_to_num(flat(expected)) * areas_of(*SHAPE[1:])).sum(axis=-1)
    assert (np.nan_to_num(got) * areas_of(*BOXES)).sum(axis=-1) == pytest.approx(integral, rel=1e-12)


@pytest.mark.parametrize("kind", ["snapshot", "mean", "sum"])
def test_a_field_keeps_its_integral(done, kind):
    history = History.of(W, SHAPE, TIMES)
    source = history.snapshots(4.0)[1] if kind == "snapshot" else history.reduced(kind, 4.0)
    integral = (flat(source) * areas_of(*SHAPE[1:])).sum(axis=-1)
    got = (found(done, "conservative.nc", f"w_{kind}") * areas_of(*BOXES)).sum(axis=-1)
    assert got == pytest.approx(integral, rel=1e-12)


@pytest.mark.parametrize(("method", "kind"), [("bilinear", "mean"), ("nearest", "max")])
def test_other_methods(done, method, kind):
    expected = of_globe(done, method).apply(flat(History.of(W, SHAPE, TIMES).reduced(kind, 4.0)))
    expect(found(done, f"{method}.nc", f"w_{kind}"), expected)


@needs_cdo
def test_cdo_makes_the_same_of_the_same_weights(done, tmp_path):
    """CDO reads the cache's file as it is, with the grid of the records of the source."""
    lat, lon = (np.arange(n) for n in SHAPE[1:])
    _, values = History.of(W, SHAPE, TIMES).snapshots(4.0)
    with netCDF4.Dataset(tmp_path / "source.nc", "w") as data:
        for dim, first, step, units, n in (
            ("lat", -90 + 90 / len(lat), 180 / len(lat), "degrees_north", len(lat)),
            ("lon", 180 / len(lon), 360 / len(lon), "degrees_east", len(lon)),
        ):
            data.createDimension(dim, n)
            axis = data.createVariable(dim, "f8", (dim,))
            axis.units = units
            axis[:] = first + step * np.arange(n)
        data.createVariable("w", "f8", ("lat", "lon"))[:] = values[0, 0]
    (weights,) = [
        path
        for path in (done.folder / ".tailrace" / "weights").glob("*.nc")
        if is_of(path, "conservative", SHAPE[1] * SHAPE[2], 0)
    ]
    command = ["cdo", "-s", f"remap,r{BOXES[1]}x{BOXES[0]},{weights}", "source.nc", "by_cdo.nc"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    with netCDF4.Dataset(tmp_path / "by_cdo.nc") as data:
        by_cdo = data["w"][:].filled(np.nan)
    expect(found(done, "conservative.nc", "w_snapshot")[0, 0], by_cdo.ravel())
