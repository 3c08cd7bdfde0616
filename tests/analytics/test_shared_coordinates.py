"""Expressions that use a coordinate which two grids give in parts. Equal ones are one coordinate, on every rank."""

import numpy as np
import pytest
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import read
from support.values import put_values

RANKS, TIMES = 3, [1.0, 2.5, 3.0]
DEEP, FLAT = (3, 7, 11), (7, 11)
Y = 50.0 * np.arange(FLAT[0])
HEIGHT = 2.0 + 0.5 * np.arange(FLAT[0] * FLAT[1]).reshape(FLAT)  # of the ground, on both grids
SERVING = {
    "shm": servers(2, transport="shm"),
    "mpi": servers(2, transport="mpi"),
    "attached": attached(),
    "inline": inline(),
}
GROUND = {"name": "ground", "dims": ["y", "x"], "units": "m", "first": 2.0, "spacing": 0.5, "part": True}


def on_two_grids(height_only: bool = False) -> dict:
    deep, flat = block_grid("deep", DEEP), block_grid("flat", FLAT, dims=("y", "x"))
    for grid in (deep, flat):
        if height_only:
            grid["coordinates"] = []
        grid["coordinates"].append(GROUND)
    return {
        "grids": [deep, flat],
        "fields": [field("t", "deep", units="m"), field("ps", "flat", units="m")],
        "times": TIMES,
    }


def config_of(**expressions: str) -> dict:
    return {
        "fields": {"all": {"every": "1 step", "names": ["t", "ps"]}},
        "diagnostics": {name: {"is": text} for name, text in expressions.items()},
        "output": {
            "out.nc": {"variables": [{"field": name, "time": "snapshot", "every": "1 step"} for name in expressions]}
        },
    }


def fields() -> tuple[np.ndarray, np.ndarray]:
    puts = list(enumerate(TIMES, start=1))
    t = np.array([put_values(0, DEEP, time, step) for step, time in puts])
    return t, np.array([put_values(1, FLAT, time, step) for step, time in puts])


@pytest.mark.parametrize("mode", SERVING)
def test_an_axis_and_a_surface(job, mode):
    config = config_of(scaled="t * y", lifted="t + ground", above="ps - ground")
    result = job(model(RANKS, **on_two_grids()), SERVING[mode], config=config).finished()
    data, (t, ps) = read(result.path("out.nc")), fields()
    np.testing.assert_array_equal(data.scaled.values, t * Y[:, None])
    np.testing.assert_array_equal(data.lifted.values, t + HEIGHT)
    np.testing.assert_array_equal(data.above.values, ps - HEIGHT)


def test_a_surface_alone(job):
    """No axis is joined then."""
    config = config_of(lifted="t + ground")
    result = job(model(RANKS, **on_two_grids(height_only=True)), SERVING["shm"], config=config).finished()
    np.testing.assert_array_equal(read(result.path("out.nc")).lifted.values, fields()[0] + HEIGHT)


@pytest.mark.parametrize("mode", SERVING)
def test_grounds_that_differ_have_no_name(job, mode):
    """Every rank refuses the expression, and the first one says why."""
    scenario = on_two_grids()
    scenario["grids"][1]["coordinates"][-1] = GROUND | {"spacing": 0.25}
    result = job(model(RANKS, **scenario), SERVING[mode], config=config_of(lifted="t + ground"))
    result.failed_with('"ground"')
