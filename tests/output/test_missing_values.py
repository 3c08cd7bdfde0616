"""Cells that are missing sometimes, or always, have no weight; compared with NumPy's masked arrays."""

import numpy as np
import pytest
import xarray as xr
from support.harness import block_grid, field, indexed_grid, inline, model, servers
from support.reading import differences, every_bit, read
from support.values import History, missing_cells, varying_times

TIMES = varying_times(30, seed=5)
EVERY = 7.0
SHAPE = (3, 7, 11)
FILLS = {"float64": -999.0, "float32": "nan", "int32": -32768, "int64": 10**12}
KINDS = ("mean", "sum", "min", "max", "std", "valid_fraction")


def configuration(**options) -> dict:
    variables = [{"field": "t", "name": f"t_{kind}", "operation": kind} for kind in KINDS]
    return {
        "fields": {"state": {"every": "1 step", "names": ["t"]}},
        "output": {
            "windows.nc": {
                "write_every": "9 s",
                "defaults": {"every": f"{EVERY} s", **options},
                "variables": variables,
            },
            "samples.nc": {"variables": [{"field": "t", "every": "1 step"}]},
        },
    }


def player(ranks: int, dtype: str, **changes):
    grids = [changes.pop("grid", block_grid("g", shape=SHAPE))]
    return model(ranks, grids=grids, fields=[field("t", "g", dtype, fill_value=FILLS[dtype])], times=TIMES, **changes)


def masked(window: tuple[float, float], history: History) -> tuple[np.ndarray, np.ndarray, np.ma.MaskedArray]:
    """The samples in a window: weights and fractions in the shape of the values, and the masked values."""
    weights, lengths, values = history.overlaps(window)
    starts = np.array([history.begin, *history.times[:-1]])
    steps = [i + 1 for i, end in enumerate(history.times) if min(end, window[1]) > max(starts[i], window[0])]
    gaps = np.array([missing_cells(SHAPE, step) for step in steps])
    column = weights.reshape((-1, 1, 1, 1)) * np.ones_like(values)
    fractions = (weights / lengths).reshape((-1, 1, 1, 1)) * np.ones_like(values)
    return column, fractions, np.ma.masked_array(values, gaps)


def reduced(kind: str, window: tuple[float, float], history: History) -> np.ma.MaskedArray:
    weights, fractions, values = masked(window, history)
    if kind == "valid_fraction":
        return (weights * ~values.mask).sum(axis=0) / weights.sum(axis=0)
    if kind == "sum":
        return (fractions * values).sum(axis=0)
    if kind in ("min", "max"):
        return getattr(values, kind)(axis=0)
    mean = np.ma.average(values, axis=0, weights=weights)
    if kind == "mean":
        return mean
    return np.ma.sqrt(np.ma.average((values - mean) ** 2, axis=0, weights=weights))


@pytest.mark.parametrize("dtype", FILLS)
def test_each_operation_uses_the_present_values(job, dtype):
    result = job(player(3, dtype), servers(2), config=configuration(type="float64")).finished()
    history = History.of(0, SHAPE, TIMES, dtype)
    with xr.open_dataset(result.path("windows.nc"), decode_times=False) as data:
        for kind in KINDS:
            expected = np.ma.array([reduced(kind, window, history) for window in history.windows(EVERY)])
            got = data[f"t_{kind}"].values
            np.testing.assert_array_equal(np.isnan(got), np.ma.getmaskarray(expected), err_msg=kind)
            # A standard deviation is a difference of large numbers.
            tolerance = {"rtol": 1e-9, "atol": 1e-6} if kind == "std" else {"rtol": 1e-12}
            np.testing.assert_allclose(got, expected.filled(np.nan), err_msg=kind, **tolerance)
        assert data.t_valid_fraction.attrs["units"] == "1"
        assert data.t_valid_fraction.values.min() == 0.0
    raw = read(result.path("windows.nc"))
    fill = float(FILLS[dtype])
    np.testing.assert_equal(float(raw.t_mean.attrs["_FillValue"]), fill)
    assert dtype == "float32" or not np.isnan(raw.t_mean.values).any()
    samples = xr.open_dataset(result.path("samples.nc"), decode_times=False).t.values
    expected = np.array([np.where(missing_cells(SHAPE, i + 1), np.nan, v) for i, v in enumerate(history.values)])
    np.testing.assert_array_equal(samples, expected)


def test_one_missing_sample_makes_the_record_missing_where_asked(job):
    result = job(player(2, "float64"), servers(1), config=configuration(missing="propagate")).finished()
    history = History.of(0, SHAPE, TIMES)
    with xr.open_dataset(result.path("windows.nc"), decode_times=False) as data:
        for number, window in enumerate(history.windows(EVERY)):
            values = masked(window, history)[2]
            hidden = values.mask.any(axis=0)
            for kind in ("mean", "sum", "min", "max", "std"):
                np.testing.assert_array_equal(np.isnan(data[f"t_{kind}"].values[number]), hidden, err_msg=kind)
            whole = reduced("mean", window, history).filled(np.nan)[~hidden]
            np.testing.assert_allclose(data.t_mean.values[number][~hidden], whole, rtol=1e-12)


def test_the_bits_do_not_depend_on_the_decomposition(job):
    layouts = [
        ("one", player(1, "float64"), servers(1)),
        ("five", player(5, "float64"), servers(2)),
        ("rows", player(3, "float64", grid=block_grid("g", shape=SHAPE, split=("y",))), servers(2)),
        ("inline", player(2, "float64"), inline()),
    ]
    found = {}
    for name, one, serving in layouts:
        result = job(one, serving, config=configuration(), environment={"TAILRACE_RANDOM_DELAYS": "7:300"}).finished()
        found[name] = [every_bit(result.path(file)) for file in ("windows.nc", "samples.nc")]
    for name in ("five", "rows", "inline"):
        for here, there in zip(found["one"], found[name], strict=True):
            assert differences(here, there) == [], name


def test_cells_of_an_indexed_grid_too(job):
    config = configuration()
    one = player(3, "float64", grid=indexed_grid("g", shape=(3, 77)))
    result = job(one, servers(2), config=config).finished()
    other = job(
        player(2, "float64", grid=block_grid("g", shape=(3, 77), split=("x",), dims=("z", "x"))),
        servers(1),
        config=config,
    ).finished()
    a, b = read(result.path("windows.nc")), read(other.path("windows.nc"))
    for kind in KINDS:
        assert a[f"t_{kind}"].values.tobytes() == b[f"t_{kind}"].values.tobytes(), kind
