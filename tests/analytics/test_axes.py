"""The coordinates of dimensions that operators make, in the file and for readers."""

import numpy as np
import pytest
from analytics.support.jobs import Case
from support.harness import block_grid, field, inline, model, servers
from support.reading import every_bit, read

STEPS, NZ, NY, NX = 2, 6, 4, 8
Z = np.array([10.0, 30.0, 70.0, 150.0, 310.0, 630.0])
X = (np.arange(NX) + 0.5) * 250.0
EDGES = np.array([280.0, 290.0, 300.0, 330.0])
HEIGHT = {"standard_name": "height", "attributes": {"positive": "up"}}

DIAGNOSTICS = {
    "levels": "interpolate(th, z, z, levels=[50, 100, 200], dim='height_level')",
    "deviation": "interpolate(th, z, z, levels=[50, 100, 200], dim='height_level') - 300",
    "pressures": "interpolate(th, p, z, levels=[900, 700], dim='p_level')",
    "spread": "quantile(th, y, x, q=[0.1, 0.5, 0.9])",
    "counts": "histogram(th, y, x, edges=[280, 290, 300, 330])",
    "waves": "mean(spectrum(th, x), y)",
    "rows": "mean(spectrum(th, y, dim='k'), x)",
    "coarse": "coarsen(th, z=2, x=4)",
    "sampled": "mean(coarsen(th, z=2, method=sample, x=4), y)",
    "lower": "slice(th, z=[1, 5, 2])",
    "upper": "slice(th, z=[4, 6])",
    "gradient": "diff(mean(th, y, x), z)",
    "near": "select(mean(th, y, x), z=[60, 400])",
    "unordered": "interpolate(mean(th, y, x), z, z, levels=[100, 20, 60])",
}
# dim of a diagnostic -> values and units, computed here.
EXPECTED = {
    ("levels", 1): ([50, 100, 200], "m"),
    ("deviation", 1): ([50, 100, 200], "m"),
    ("pressures", 1): ([900, 700], "hPa"),
    ("spread", 2): ([0.1, 0.5, 0.9], "1"),
    ("counts", 2): ((EDGES[1:] + EDGES[:-1]) / 2, "K"),
    ("waves", 2): (np.fft.rfftfreq(NX, 250.0), "m-1"),
    ("rows", 2): (np.arange(NY // 2 + 1), "1"),
    ("coarse", 1): (Z.reshape(-1, 2).mean(axis=1), "m"),
    ("coarse", 3): (X.reshape(-1, 4).mean(axis=1), "m"),
    ("sampled", 1): (Z[::2], "m"),
    ("sampled", 2): (X[::4], "m"),
    ("lower", 1): (Z[1:5:2], "m"),
    ("upper", 1): (Z[4:], "m"),
    ("gradient", 1): ((Z[1:] + Z[:-1]) / 2, "m"),
    ("near", 1): (Z[[2, 4]], "m"),
}


def case_of(ranks: int, count: int, parts: dict) -> Case:
    rng = np.random.default_rng(11)
    th = rng.normal(300, 8, (STEPS, NZ, NY, NX))
    p = np.broadcast_to((1000.0 - Z)[:, None, None], th.shape)
    case = Case(ranks, servers(count), STEPS)
    case.grid("g", "zyx", (NZ, NY, NX), parts=parts, coordinates={"z": (Z, "m", HEIGHT), "x": X})
    return case.field("th", th, grid="g", units="K").field("p", p, grid="g", units="hPa")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    case = case_of(3, 2, {"y": 3})
    folder = tmp_path_factory.mktemp("axes")
    return case, case.run(folder, case.configuration(DIAGNOSTICS)).finished().path("out.nc")


def test_values_and_units(written):
    data = read(written[1])
    wrong = {}
    for (name, place), (values, units) in EXPECTED.items():
        dim = data[name].dims[place if place < data[name].ndim else -1]
        if dim not in data.coords:
            wrong[name] = f"{dim} has no coordinate"
        elif not np.allclose(data[dim].values, values, rtol=1e-15) or data[dim].attrs["units"] != units:
            wrong[name] = f"{dim}: {data[dim].values} {data[dim].attrs}"
    assert wrong == {}


def test_attributes(written):
    data = read(written[1])
    for dim in ("height_level", "z_3_coarse", data.lower.dims[1], "z_5"):
        assert data[dim].attrs["standard_name"] == "height", dim
        assert data[dim].attrs["positive"] == "up", dim
    assert "per length" in data.wavenumber.attrs["long_name"]
    assert "domain" in data.k.attrs["long_name"]
    np.testing.assert_array_equal(data[data.bin.attrs["bounds"]].values, np.stack([EDGES[:-1], EDGES[1:]], axis=1))


def test_readers_find_values_by_them(written):
    case, path = written
    data, th = read(path), case.arrays["th"]
    at_100 = th[:, 2] + (th[:, 3] - th[:, 2]) * (100 - 70) / (150 - 70)
    np.testing.assert_allclose(data.levels.sel(height_level=100).values, at_100, rtol=1e-14)
    np.testing.assert_allclose(data.spread.sel(quantile=0.9).values, np.quantile(th, 0.9, axis=(2, 3)), rtol=1e-14)
    assert data.deviation.dims == data.levels.dims


def test_a_dim_for_each_coordinate(written):
    """z_2: two cells from below, from above and near two heights; z_3: means, and samples."""
    data = read(written[1])
    dims = [data[name].dims[1] for name in ("lower", "upper", "near")]
    assert dims == ["z_2_lower", "z_2_upper", "z_2_near"]
    assert (data.coarse.dims[1], data.sampled.dims[1]) == ("z_3_coarse", "z_3_sampled")


def test_values_without_order_are_beside_the_dim(written):
    data = read(written[1])
    assert data.unordered.dims == ("time", "z_level")
    assert "z_level" not in data.coords
    np.testing.assert_array_equal(data.unordered.z_level_value.values, [100, 20, 60])


def test_same_bits_for_any_layout(job, written):
    case = case_of(4, 3, {"y": 2, "x": 2})
    other = case.run(job.root, case.configuration(DIAGNOSTICS)).finished().path("out.nc")
    assert every_bit(other) == every_bit(written[1])


@pytest.mark.parametrize(("ranks", "serving"), [(1, inline()), (4, servers(2)), (6, inline())])
def test_coordinates_given_in_parts(job, ranks, serving):
    """Each rank declares its own x and y; the file has only diagnostics."""
    names = {"rows": "sum(w, x)", "coarse": "coarsen(w, x=3)", "waves": "spectrum(mean(w, z), y, x)"}
    config = {
        "fields": {"state": {"names": ["w"]}},
        "diagnostics": {name: {"is": text} for name, text in names.items()},
        "output": {"out.nc": {"variables": [{"field": name, "every": "1 step"} for name in names]}},
    }
    scenario = {"grids": [block_grid(shape=(3, 7, 11))], "fields": [field("w", "les", units="1")], "times": [1.0, 2.0]}
    data = read(job(model(ranks, **scenario), serving, config=config).finished().path("out.nc"))
    np.testing.assert_array_equal(data.y.values, 50.0 * np.arange(7))
    np.testing.assert_array_equal(data.x_4.values, [50, 200, 350, 475])
    np.testing.assert_allclose(data.wavenumber.values, np.arange(data.wavenumber.size) / 550, rtol=1e-15)
    assert (data.y.units, data.x_4.units, data.wavenumber.units) == ("m", "m", "m-1")
