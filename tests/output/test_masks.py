"""`grids: {g: {mask: sea}}`: cells outside of the mask are missing in all fields of the grid; compared with NumPy's
masked arrays."""

import numpy as np
import pytest
import xarray as xr
from analytics.support.jobs import Case, worst
from support.harness import attached, inline, servers
from support.reading import differences, every_bit

STEPS, SHAPE = 6, (3, 7, 10)
RNG = np.random.default_rng(17)
SST = RNG.normal(280, 8, (STEPS, *SHAPE)).astype(np.float32)
ICE = RNG.integers(0, 50, (STEPS, *SHAPE[1:])).astype(np.int32)
SEA = RNG.integers(0, 3, SHAPE[1:]).astype(np.float64)  # all values except 0 are in the mask
SEA[4, 3] = np.nan
OFF = (SEA == 0) | np.isnan(SEA)
AREA = RNG.gamma(2, 1e6, SHAPE[1:])
DIAGNOSTICS = {
    "global_mean": "mean(sst, y, x, weights=area)",
    "warmest": "max(sst)",
    "filled": "where(isnan(sst), 0, sst)",
    "cells": "count(ice)",
}
MEAN = {"operation": "mean", "every": "3 s"}
VARIABLES = [
    {"field": "sst", "every": "1 step"},
    {"field": "sst", "name": "sst_mean", **MEAN},
    {"field": "ice", "every": "1 step"},
    {"field": "ice", "name": "ice_mean", **MEAN},
    {"field": "area", "every": "once"},
    {"field": "sea", "every": "once"},
    *({"field": name, "every": "1 step"} for name in DIAGNOSTICS),
]


def each_step(values: np.ndarray) -> np.ndarray:
    return np.broadcast_to(values, (STEPS, *values.shape))


def case(ranks: int, serving, parts: dict, early: bool = True) -> Case:
    flat = {dim: count for dim, count in parts.items() if dim != "z"}
    made = Case(ranks, serving, STEPS).grid("g", "zyx", SHAPE, parts=parts)
    made.grid("flat", "yx", SHAPE[1:], parts=flat).grid("column", "z", SHAPE[:1], kind="replicated")
    made.field("sea", each_step(SEA), grid="flat", units="1", early=early)
    made.field("sst", SST, grid="g", units="K").field("ice", ICE, grid="flat", units="1", fill_value=-1)
    return made.field("area", each_step(AREA), grid="flat", units="m2")


def configuration(made: Case, grids: dict | None = None, fixed=("sea", "area")) -> dict:
    moving = [name for name in ("sst", "ice", "sea", "area") if name not in fixed]
    fields = {
        "state": {"every": "1 step", "names": moving},
        "fixed": {"every": "once", "names": list(fixed)},
    }
    output = {"out.nc": {"write_every": "1 h", "compression": "none", "variables": VARIABLES}}
    grids = grids or {"g": {"mask": "sea"}, "flat": {"mask": "sea"}}
    return made.configuration(DIAGNOSTICS, output=output, fields=fields, grids=grids)


def expected() -> dict[str, np.ndarray]:
    sst = np.ma.masked_array(SST.astype(float), np.broadcast_to(OFF, SST.shape))
    ice = np.ma.masked_array(ICE.astype(float), np.broadcast_to(OFF, ICE.shape))
    whole = {
        "sst": sst,
        "sst_mean": sst.reshape(2, 3, *SHAPE).mean(axis=1),
        "ice": ice,
        "ice_mean": ice.reshape(2, 3, *SHAPE[1:]).mean(axis=1),
        "area": np.ma.masked_array(AREA, OFF),
        "global_mean": np.ma.average(sst, axis=(2, 3), weights=np.broadcast_to(AREA, SST.shape)),
        "warmest": sst.max(axis=(1, 2, 3)),
        "filled": sst.filled(0.0),
        "cells": np.full(STEPS, (~OFF).sum()),
    }
    return {name: np.ma.filled(value, np.nan) for name, value in whole.items()}


def test_cells_outside_of_the_mask_are_missing(job):
    made = case(3, servers(2), {"y": 3})
    result = made.run(job.root, configuration(made)).finished()
    tolerances = {"sst_mean": 1e-6, "ice_mean": 1e-13, "global_mean": 1e-13}
    with xr.open_dataset(result.path("out.nc"), decode_times=False) as data:
        wrong = {name: worst(data[name].values, one, tolerances.get(name, 0)) for name, one in expected().items()}
        assert wrong == dict.fromkeys(wrong, "")
        np.testing.assert_array_equal(data.sea.values, SEA)  # a mask is not masked
        assert data.ice.encoding["_FillValue"] == -1
        assert data.sst.encoding["_FillValue"] == np.float32(9.969209968386869e36)
    with xr.open_dataset(result.path("out.nc"), decode_times=False, mask_and_scale=False) as data:
        assert not np.isnan(data.sst_mean.values).any()


def test_the_bits_do_not_depend_on_the_decomposition(job):
    layouts = {
        "one": case(1, servers(1), {}),
        "five": case(5, servers(2), {"y": 5}, early=False),
        "columns": case(4, servers(3), {"x": 2, "y": 2}),
        "empty ranks": case(3, servers(2), {"y": 2}),
        "inline": case(2, inline(), {"x": 2}, early=False),
        "attached": case(2, attached(), {"y": 2}),
    }
    found = {}
    for name, made in layouts.items():
        folder = job.root / name.replace(" ", "_")
        made.run(folder, configuration(made), environment={"TAILRACE_RANDOM_DELAYS": "3:300"}).finished()
        found[name] = every_bit(folder / "out.nc")
    for name, bits in found.items():
        assert differences(found["one"], bits) == [], name


def late_mask(made: Case) -> Case:
    made.fields = made.fields[1:] + made.fields[:1]
    return made


WRONG = {
    "another name": (
        {"grids": {"g": {"mask": "see"}}},
        'grids.g.mask: "see" is neither listed under `fields`, so that the model is asked for it, nor under '
        '`diagnostics`. Did you mean "sea"?',
    ),
    "a diagnostic": (
        {"grids": {"g": {"mask": "warmest"}}},
        'grids.g.mask: "warmest" is computed by the servers; expected a field that the model puts once',
    ),
    "another grid": ({"grids": {"flatt": {"mask": "sea"}}}, 'grids.flatt: the model declares no grid "flatt". Did you'),
    "another key": ({"grids": {"g": {"masc": "sea"}}}, 'grids.g.masc: this key is unknown. Did you mean "mask"?'),
    "one that moves": (
        {"fixed": ("area",)},
        'grids.g.mask: "sea" is sent every step; expected a fixed field, of a group with `every: once`',
    ),
    "other dimensions": (
        {"grids": {"column": {"mask": "sea"}}},
        'grids.column.mask: "sea" lies on grid "flat" (y, x); expected a field of grid "column" (z), or of one with '
        "the last of these dimensions that the ranks share in the same way",
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_mistakes(job, mistake):
    changes, message = WRONG[mistake]
    made = case(1, servers(1), {})
    if "fixed" in changes:
        made.fields[0]["early"] = False
    made.run(job.root, configuration(made, **changes)).failed_with(message)


def test_a_mask_that_is_put_late(job):
    made = late_mask(case(2, servers(1), {"y": 2}, early=False))
    result = made.run(job.root, configuration(made))
    result.failed_with('put "sst" before "sea", the mask of grid "g"; put the mask first')


def test_a_mask_with_another_decomposition(job):
    made = case(2, servers(1), {"y": 2})
    made.grids["flat"]["parts"] = {"x": 2}
    config = configuration(made)
    config["output"]["out.nc"]["variables"] = VARIABLES[:1]
    config["diagnostics"] = {}
    result = made.run(job.root, config)
    result.failed_with('holds other cells of "sea", the mask of grid "g", than of that grid')
