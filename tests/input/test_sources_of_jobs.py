"""Sources in Python, in whole jobs: Datasets, records that come one after the other, and the stream of another job."""

import sys

import numpy as np
import pytest
import xarray as xr
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading_inputs import got
from support.sst import TIMES as STEPS_OF_STREAM
from support.sst import start
from support.values import put_values

SHAPE = (3, 7, 11)
DAY = 86400.0
TIMES = [3600.0, 2 * DAY + 7.0, 2.5 * DAY, 4 * DAY]
PARTICIPANTS = {
    "two servers": (3, servers(2)),
    "mpi": (2, servers(1, transport="mpi")),
    "attached": (2, attached()),
    "inline": (2, inline()),
}

SOURCE = """
import numpy as np
import xarray as xr
from tailrace import input_source

def record(day):
    values = np.random.default_rng(day).normal(280, 9, (1, 7, 11))
    time = [np.datetime64("2000-01-01", "ns") + np.timedelta64(day, "D")]
    return xr.Dataset({"tas": (("time", "y", "x"), values, {"units": "K"})}, {"time": time})

@input_source
def whole(file):
    return xr.concat([record(day) for day in range(6)], "time")

@input_source
def records(file):
    for day in range(6):
        yield record(day)

@input_source
def few(file):
    yield from (record(day) for day in range(3))

@input_source
def broken(file):
    raise OSError("the tape is torn")

@input_source
def deadly(file):
    import os
    os._exit(3)
"""

LINE = 1 + SOURCE.splitlines().index('    raise OSError("the tape is torn")')


def forcing() -> np.ndarray:
    return np.stack([np.random.default_rng(day).normal(280, 9, SHAPE[1:]) for day in range(6)])


def expected(times) -> np.ndarray:
    data = xr.DataArray(forcing(), {"time": DAY * np.arange(6)}, ("time", "y", "x"))
    return data.interp(time=list(times)).values


def configuration(function: str, **entry) -> dict:
    source = {"python": f"source.py:{function}", "interpreter": sys.executable}
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "fields": {"state": {"names": ["w"], "every": "1 step"}},
        "output": {"w.nc": {"variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}},
        "input": {"forcing": {"source": source, "fields": {"tas": {"time": "linear"}}} | entry},
    }


def forced(ranks: int, times=TIMES, initial=0.0, name="tas", grid="sea", units="K"):
    grids = [block_grid("air", SHAPE, ("y", "x")), block_grid("sea", SHAPE[1:], ("y", "x"), dims=("y", "x"))]
    inputs = [{"name": name, "grid": grid, "units": units}]
    return model(ranks, grids=grids, fields=[field("w", "air")], inputs=inputs, times=times, initial_time=initial)


@pytest.fixture
def run(job):
    def start(case: str, config: dict, **more):
        (job.root / "job").mkdir(exist_ok=True)
        (job.root / "job" / "source.py").write_text(SOURCE)
        ranks, serving = PARTICIPANTS[case]
        return job(forced(ranks, **more), serving, config=config, folder=job.root / "job")

    return start


@pytest.mark.parametrize("case", PARTICIPANTS)
def test_records_one_after_the_other(run, case):
    result = run(case, configuration("records")).finished()
    np.testing.assert_allclose(got(result.folder, "tas", SHAPE[1:]), expected([0.0, *TIMES]), rtol=1e-12)


def test_a_dataset(run):
    result = run("two servers", configuration("whole")).finished()
    np.testing.assert_allclose(got(result.folder, "tas", SHAPE[1:]), expected([0.0, *TIMES]), rtol=1e-12)


def test_a_stream_that_ends_before_the_model(run):
    result = run("two servers", configuration("few"))
    assert result.status != 0
    assert "its stream has ended, and no record follows" in result.output


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("broken", f"source.py:{LINE}, in broken: OSError: the tape is torn"),
        ("deadly", "the process that reads ended with status 3"),
        ("brocken", "has no function 'brocken'. Did you mean 'broken'?"),
    ],
)
def test_a_function_that_fails_is_an_error_of_ready(run, function, message):
    result = run("two servers", configuration(function))
    assert result.status != 0
    assert message in result.output and "input.forcing.files" in result.output


def test_a_model_that_is_fed_by_a_running_one(job):
    """From the steps that the other makes meanwhile, bit for bit."""
    pytest.importorskip("adios2", reason="ADIOS2 is not installed")
    times = STEPS_OF_STREAM[-30:]
    with start(job, pace=0.05, when_full="block", folder=job.root / "feeding") as feeding:
        config = configuration(
            "none", files="../feeding/out", source={"adios2": "stream"}, wait_for="60 s", lead="3 records"
        )
        config["model_time"]["start"] = "2026-01-01"
        config["input"]["forcing"]["fields"] = {"v": {"variable": "w", "time": "exact"}}
        scenario = forced(2, times[1:], times[0], "v", "air", "1")
        environment = {"VIRTUAL_ENV": sys.prefix}
        fed = job(scenario, servers(1), config=config, folder=job.root / "fed", environment=environment).finished()
        feeding.wait(60).finished()
    values = got(fed.folder, "v", SHAPE)
    for value, time in zip(values, times, strict=True):
        step = STEPS_OF_STREAM.index(time)
        np.testing.assert_array_equal(value, put_values(0, SHAPE, time, step + 1))
