"""Values packed into small integers: read by xarray and netCDF4, and compared with the values of the model."""

import json

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import differences, every_bit, read
from support.values import History, missing_cells, varying_times

TIMES = varying_times(23, seed=3)
EVERY = 6.0
SHAPE = (3, 5, 14)
T_RANGE, N_RANGE = [0.0, 260.0], [99.0, 401.0]
LOW, HIGH = 60.0, 90.0  # a range that many values exceed

VARIABLES = [
    {"field": "t", "name": "short", "pack": {"range": T_RANGE}},
    {"field": "t", "name": "byte", "type": "int8", "operation": "mean", "pack": {"range": T_RANGE}},
    {"field": "t", "name": "ubyte", "type": "uint8", "operation": "max", "pack": {"range": T_RANGE}},
    {"field": "s", "name": "given", "type": "int16", "pack": {"scale_factor": 0.125, "add_offset": 200.5}},
    {"field": "n", "name": "whole", "type": "int16"},
    {"field": "n", "name": "means", "type": "int32", "operation": "mean", "pack": {"range": N_RANGE}},
    {"field": "t", "name": "single", "type": "float32", "operation": "std"},
    {"field": "t", "name": "few", "type": "uint8", "operation": "min", "pack": {"range": [LOW, HIGH]}},
]
FILL = {"short": -32767, "byte": -127, "ubyte": 255, "given": -32767, "whole": -32767, "means": -2147483647, "few": 255}
KIND = {"short": "i2", "byte": "i1", "ubyte": "u1", "given": "i2", "whole": "i2", "means": "i4", "few": "u1"}


def configuration(**options) -> dict:
    defaults = {"every": f"{EVERY} s", **options}
    return {
        "fields": {"state": {"every": "1 step", "names": ["t", "n", "s"]}},
        "output": {"packed.nc": {"write_every": "9 s", "defaults": defaults, "variables": VARIABLES}},
    }


def player(ranks: int, **changes):
    grid = changes.pop("grid", block_grid("g", shape=SHAPE))
    fields = [field("t", "g", fill_value=-999.0), field("n", "g", "int32"), field("s", "g", "float32")]
    return model(ranks, grids=[grid], fields=fields, times=TIMES, **changes)


def samples(number: int, dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The weights and values of each window by sample, with missing cells of `t` masked."""
    history = History.of(number, SHAPE, TIMES, dtype)
    starts = np.array([0.0, *TIMES[:-1]])
    for window in history.windows(EVERY):
        weights, _, values = history.overlaps(window)
        steps = [i + 1 for i, end in enumerate(TIMES) if min(end, window[1]) > max(starts[i], window[0])]
        gaps = np.array([missing_cells(SHAPE, step) if number == 0 else np.zeros(SHAPE, bool) for step in steps])
        yield weights, np.ma.masked_array(values, gaps)


def expected() -> dict[str, np.ma.MaskedArray]:
    windows = list(samples(0, "float64"))
    last = [TIMES.index(time) for time in History.of(0, SHAPE, TIMES).snapshots(EVERY)[0]]
    put = [History.of(number, SHAPE, TIMES, kind).values for number, kind in enumerate(["float64", "int32", "float32"])]
    return {
        "short": np.ma.array([np.ma.masked_array(put[0][i], missing_cells(SHAPE, i + 1)) for i in last]),
        "byte": np.ma.array([np.ma.average(values, axis=0, weights=weights) for weights, values in windows]),
        "ubyte": np.ma.array([values.max(axis=0) for _, values in windows]),
        "given": np.ma.array([put[2][i] for i in last]),
        "whole": np.ma.array([put[1][i] for i in last]),
        "means": np.ma.array([np.average(v, axis=0, weights=w) for w, v in samples(1, "int32")]),
        "few": np.ma.array([values.min(axis=0) for _, values in windows]),
    }


def test_readers_see_what_was_put_to_half_a_scale_factor(job):
    result = job(player(3), servers(2), config=configuration()).finished()
    raw = read(result.path("packed.nc"))
    with (
        xr.open_dataset(result.path("packed.nc"), decode_times=False) as seen,
        netCDF4.Dataset(result.path("packed.nc")) as other,
    ):
        for name, values in expected().items():
            assert raw[name].dtype == np.dtype(KIND[name]), name
            assert raw[name].attrs["_FillValue"] == FILL[name] and raw[name].attrs["_FillValue"].dtype == KIND[name]
            scale = float(raw[name].attrs.get("scale_factor", 1.0))
            if name == "few":
                values = np.ma.masked_outside(values, LOW - scale / 2, HIGH + scale / 2)
            gone = np.ma.getmaskarray(values)
            got = seen[name].values
            np.testing.assert_array_equal(np.isnan(got), gone, err_msg=name)
            close = scale / 2 + np.abs(values).max() * 1e-6  # float32 readers round once more
            assert np.abs(got - values.filled(np.nan))[~gone].max() <= close, name
            theirs = other[name][:]
            np.testing.assert_array_equal(np.ma.getmaskarray(theirs), gone, err_msg=name)
            assert np.abs(theirs - values).max() <= close, name
    assert raw.short.attrs["scale_factor"].dtype == np.float64
    assert raw.given.attrs["scale_factor"].dtype == np.float32 and raw.given.attrs["add_offset"] == 200.5
    assert "scale_factor" not in raw.whole.attrs
    least, most = raw.short.attrs["add_offset"] + np.array([-32766, 32766]) * raw.short.attrs["scale_factor"]
    np.testing.assert_allclose([least, most], T_RANGE, atol=1e-9)


def test_values_outside_the_range_are_counted_and_reported(job):
    result = job(player(3), servers(2), config=configuration()).finished()
    values = expected()["few"]
    half = (HIGH - LOW) / 254 / 2
    beyond = np.ma.filled((values < LOW - half) | (values > HIGH + half), False)
    assert 0 < beyond.sum() < beyond.size
    first = History.of(0, SHAPE, TIMES).windows(EVERY)[int(np.argmax(beyond.any(axis=(1, 2, 3))))][1]
    files = {file["path"]: file for file in json.loads(result.path("tailrace_report/report.json").read_text())["files"]}
    (counted,) = files["packed.nc"]["out_of_range"]
    assert counted == {"variable": "few", "type": "uint8", "values": int(beyond.sum()), "first_time": first}
    warnings = [line for line in result.output.splitlines() if '"few"' in line and "warning" in line]
    told = [line for line in warnings if "packed.nc" in line and "cannot represent" in line]
    assert 1 <= len(told) <= 2, result.output  # each server reports its own
    assert any(f"at {first:g} s" in line and "scale_factor" in line for line in told), told
    at_end = [line for line in warnings if f'{beyond.sum()} values of "few" did not fit uint8' in line]
    assert len(at_end) == 1, result.output


def test_the_bits_do_not_depend_on_the_decomposition(job):
    layouts = [
        (player(1), servers(1)),
        (player(5), servers(3)),
        (player(3, grid=block_grid("g", shape=SHAPE, split=("y",))), attached()),
        (player(2), inline()),
    ]
    found = []
    for one, serving in layouts:
        config = configuration(chunk=[2, 3, 5, 4])
        config["output"]["packed.nc"]["compression"] = "zlib"
        result = job(one, serving, config=config, environment={"TAILRACE_RANDOM_DELAYS": "7:300"}).finished()
        found.append(every_bit(result.path("packed.nc")))
    for other in found[1:]:
        assert differences(found[0], other) == []


@pytest.mark.parametrize(
    ("words", "pieces"),
    [
        ({"pack": {"range": [1.0, 1.0]}}, ["pack.range", "expected the least and the largest value"]),
        ({"pack": {"scale": 0.1}}, ["pack", "scale_factor"]),
        (
            {"pack": {"range": [0, 1]}, "type": "float32"},
            ["pack", "are packed into int8, uint8, int16 or int32"],
        ),
        ({"pack": {"range": [1e6, 1000000.001]}}, ["variables[0].pack", "cannot be spread over int16 in float32"]),
        ({"type": "int15"}, ["variables[0].type", 'Did you mean "int16"?']),
    ],
)
def test_what_cannot_be_packed_is_an_error(job, words, pieces):
    config = {
        "fields": {"state": {"every": "1 step", "names": ["s"]}},
        "output": {"a.nc": {"variables": [{"field": "s", "every": "1 step", **words}]}},
    }
    player = model(2, grids=[block_grid("g")], fields=[field("s", "g", "float32")], times=[1.0, 2.0])
    job(player, servers(1), config=config).failed_with("tailrace.yaml:", *pieces)
