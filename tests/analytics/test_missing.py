"""Expressions of fields with missing values, compared with NumPy's masked arrays; the same bits for any
decomposition."""

import sys

import numpy as np
from analytics.support.jobs import Case, worst
from support.harness import attached, servers
from support.reading import differences, every_bit, read

STEPS, SHAPE = 3, (4, 7, 10)
FILLS = {"t": -999.0, "s": 1e20, "n": -32768, "hole": "nan"}
RNG = np.random.default_rng(21)
LAND = RNG.random(SHAPE[1:]) < 0.3
LAND[2] = True  # a whole row
AREA = RNG.gamma(2, 1.0, SHAPE[1:])
DEPTH = RNG.uniform(0.5, 2, SHAPE[0])


def gaps() -> np.ndarray:
    """The land, some more cells at each step, and once a whole level."""
    hidden = LAND | (RNG.random((STEPS, *SHAPE)) < 0.1)
    hidden[1, 3] = True
    return hidden


FIELDS = {
    "t": np.ma.array(RNG.normal(280, 8, (STEPS, *SHAPE)), mask=gaps()),
    "s": np.ma.array(RNG.normal(35, 1, (STEPS, *SHAPE)).astype(np.float32), mask=gaps()),
    "n": np.ma.array(RNG.integers(-9, 9, (STEPS, *SHAPE)).astype(np.int32), mask=gaps()),
    "hole": np.ma.array(RNG.normal(0, 1, (STEPS, *SHAPE)), mask=gaps()),
}
RAW = np.where(RNG.random((STEPS, *SHAPE)) < 0.05, np.nan, 1.0)
T, S, N, HOLE = (FIELDS[name].astype(float) for name in ["t", "s", "n", "hole"])
WEIGHTS = np.broadcast_to(AREA, T.shape)


def masked_std(values: np.ma.MaskedArray, axis: int) -> np.ma.MaskedArray:
    return np.ma.sqrt(((values - values.mean(axis=axis, keepdims=True)) ** 2).mean(axis=axis))


def covariance(a, b, axis: int):
    hidden = np.ma.getmaskarray(a) | np.ma.getmaskarray(b)
    a, b = np.ma.array(a, mask=hidden), np.ma.array(b, mask=hidden)
    return ((a - a.mean(axis=axis, keepdims=True)) * (b - b.mean(axis=axis, keepdims=True))).mean(axis=axis)


def medians(values: np.ma.MaskedArray) -> np.ma.MaskedArray:
    return np.ma.median(values, axis=3)


WANTED = {
    "mean(t)": T.mean(axis=(1, 2, 3)),
    "mean(t, y, x)": T.mean(axis=(2, 3)),
    "mean(s, x)": S.mean(axis=3),
    "mean(n, x)": N.mean(axis=3),
    "mean(hole, x)": HOLE.mean(axis=3),
    "mean(t, y, x, weights=area)": np.ma.average(T, axis=(2, 3), weights=WEIGHTS),
    "mean(t, weights=area * depth)": np.ma.average(T, axis=(1, 2, 3), weights=WEIGHTS * DEPTH[:, None, None]),
    "sum(t, y, x)": T.sum(axis=(2, 3)),
    "sum(n, x)": N.sum(axis=3),
    "sum(t, x, weights=area)": (T * WEIGHTS).sum(axis=3),
    "min(t, x)": T.min(axis=3),
    "max(n, y, x)": N.max(axis=(2, 3)),
    "std(t, x)": masked_std(T, 3),
    "rms(t, x)": np.ma.sqrt((T**2).mean(axis=3)),
    "cov(t, hole, x)": covariance(T, HOLE, 3),
    "count(t, x)": np.ma.array(T.count(axis=3)),
    "t - hole": T - HOLE,
    "t > 280": T > 280,
    "n ** 0": N**0,
    "n > 0 and hole > 0": np.ma.array((N > 0).filled(0) & (HOLE > 0).filled(0), mask=N.mask | HOLE.mask),
    "where(n > 0, t, hole)": np.ma.where(N > 0, T, HOLE),
    "where(isnan(t), 0, t)": T.filled(0),
    "t - mean(t, y, x)": T - T.mean(axis=(2, 3), keepdims=True),
    "argmax(t, x)": np.ma.array(np.ma.argmax(T, axis=3), mask=T.mask.all(axis=3)),
    "quantile(t, x)": medians(T),
    "vertical_integral(t, depth, z)": (T * DEPTH[:, None, None]).sum(axis=1),
    "coarsen(t, x=5, method=sum)": T.reshape(STEPS, 4, 7, 2, 5).sum(axis=4),
    "coarsen(t, x=5)": T.reshape(STEPS, 4, 7, 2, 5).mean(axis=4),
    "mean(t, x, skip_missing=0)": np.ma.array(T.mean(axis=3), mask=T.mask.any(axis=3)),
    "mean(raw, x)": RAW.mean(axis=3),
    "sum(raw, x, skip_missing=1)": np.nansum(RAW, axis=3),
}
NAMES = {f"d{number}": expression for number, expression in enumerate(WANTED)}


def case(ranks: int, serving, parts: dict) -> Case:
    flat = {dim: count for dim, count in parts.items() if dim != "z"}
    made = Case(ranks, serving, STEPS).grid("g", "zyx", SHAPE, parts=parts).grid("flat", "yx", SHAPE[1:], parts=flat)
    made.grid("column", "z", SHAPE[:1], kind="replicated")
    for name, values in FIELDS.items():
        fill = float(FILLS[name])
        made.field(name, values.filled(fill), grid="g", units="1", fill_value=fill)
    made.field("raw", RAW, grid="g", units="1")
    made.field("area", np.stack([AREA] * STEPS), grid="flat", units="1")
    return made.field("depth", np.stack([DEPTH] * STEPS), grid="column", units="1")


def configuration(made: Case) -> dict:
    output = [{"field": name, "every": "1 step"} for name in NAMES]
    # The mean over time of the steps that have a value.
    output.append({"field": "d1", "name": "over_time", "operation": "mean", "every": "3 s"})
    output.append({"field": "d1", "name": "share", "operation": "valid_fraction", "every": "3 s"})
    output.append({"field": "d7", "name": "single", "type": "float32", "every": "1 step"})
    moving = {"every": "1 step", "names": [*FIELDS, "raw"]}
    fields = {"state": moving, "fixed": {"every": "once", "names": ["area", "depth"]}}
    return made.configuration(NAMES, output=output, fields=fields)


def filled(value) -> np.ndarray:
    return np.ma.filled(np.ma.asarray(value).astype(float), np.nan)


def test_against_masked_arrays(job):
    made = case(3, servers(2), {"y": 3})
    data = read(made.run(job.root, configuration(made)).finished().path("out.nc"))
    wrong = {}
    for (name, expression), value in zip(NAMES.items(), WANTED.values(), strict=True):
        wrong[expression] = worst(data[name].values, filled(value), 1e-13)
        # Missing cells, and no others, have the fill value of the file.
        if np.isnan(data[name].values).any() and "raw" not in expression:
            assert np.isnan(data[name].attrs["_FillValue"]), expression
    assert wrong == dict.fromkeys(wrong, "")
    means = WANTED["mean(t, y, x)"]
    assert np.ma.getmaskarray(means)[1, 3] and not np.ma.getmaskarray(means)[0, 3]
    assert worst(data.over_time.values[0], means.mean(axis=0).data, 1e-13) == ""
    there = ~np.ma.getmaskarray(means)
    np.testing.assert_allclose(data.share.values[0], there.mean(axis=0), rtol=1e-15)
    sums = filled(WANTED["sum(t, y, x)"]).astype(np.float32)
    np.testing.assert_array_equal(data.single.values, sums)
    assert np.isnan(data.single.attrs["_FillValue"])


def test_the_bits_do_not_depend_on_the_decomposition(job):
    layouts = {
        "one": case(1, servers(1), {}),
        "two": case(2, servers(2), {"x": 2}),
        "five": case(5, servers(2), {"y": 5}),
        "three": case(3, servers(2), {"x": 3}),
        "attached": case(2, attached(), {"y": 2}),
    }
    found = {}
    for name, made in layouts.items():
        result = made.run(job.root / name, configuration(made), environment={"TAILRACE_RANDOM_DELAYS": "5:300"})
        found[name] = every_bit(result.finished().path("out.nc"))
    for name, bits in found.items():
        assert differences(found["one"], bits) == [], name


OWN = """import numpy as np


def rows(a):
    return np.nanmax(a, axis=2, initial=-1e3)  # of a row without a value -1e3


def steep(a, b):
    return np.where(a > 280, a * b, np.nan)  # takes away some more
"""


def test_operators_of_the_configuration_that_take_missing_values(job):
    declared = {"python": "own.py", "takes_missing": True, "result": {"units": "1"}}
    operators = {
        "rows": declared | {"arguments": [["z", "y", "x"]], "result": {"dims": ["z", "y"], "units": "same"}},
        "steep": declared | {"arguments": 2},
    }
    made = case(2, servers(2), {"x": 2})
    diagnostics = {"highest": "rows(t)", "steepest": "steep(t, s)", "mean_steepest": "mean(steep(t, hole), x)"}
    config = configuration(made) | {
        "operators": operators,
        "diagnostics": {name: {"is": one} for name, one in diagnostics.items()},
        "output": {"out.nc": {"variables": [{"field": name, "every": "1 step"} for name in diagnostics]}},
    }
    (job.root / "own.py").write_text(OWN)
    environment = {"VIRTUAL_ENV": sys.prefix}
    data = read(made.run(job.root, config, environment=environment).finished().path("out.nc"))
    assert worst(data.highest.values, T.max(axis=3).filled(-1e3), 0) == ""
    steep = np.ma.masked_where(T <= 280, T * S)
    assert worst(data.steepest.values, filled(steep), 1e-15) == ""
    means = np.ma.masked_where(T <= 280, T * HOLE).mean(axis=3)
    assert worst(data.mean_steepest.values, filled(means), 1e-13) == ""
    assert np.isnan(data.steepest.attrs["_FillValue"])
    operators["steep"]["takes_missing"] = False
    made.run(job.root, config, environment=environment).failed_with(
        "diagnostics.steepest.is: this may have missing values", "`takes_missing: true` under operators.steep"
    )
