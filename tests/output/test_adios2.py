"""Datasets of ADIOS2 hold what the NetCDF file holds, bit for bit, and whole steps after a kill."""

import os
import random
import time

import numpy as np
import pytest
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import RUN_ATTRIBUTES, commits
from support.reading import read as read_netcdf
from support.values import put_values, varying_times

adios2_reading = pytest.importorskip("support.adios2_reading")

TIMES = varying_times(24, seed=11)
SHAPE = (3, 7, 11)
VARIABLES = [
    {"field": "w", "name": "each", "time": "snapshot", "every": "1 step", "chunk": [3, 2, 4, 11]},
    {"field": "w", "name": "w_mean", "time": "mean", "every": "1 step", "type": "float32"},
    {"field": "n", "time": "snapshot", "every": "1 step", "chunk": [5, 3, 7, 5]},
    {"field": "w", "name": "packed", "time": "snapshot", "every": "1 step"}
    | {"type": "int16", "pack": {"range": [-10.0, 400.0]}},
]
OF_FILES = {"attributes": {"title": "a title", "numbers": [1, 2, 3], "half": 0.5}}
KILLS = 200 if os.environ.get("TAILRACE_TEST_FAULTS") else 6


def configuration(engine: str, **more) -> dict:
    common = {"write_every": "4 steps", "variables": VARIABLES, **OF_FILES}
    return {
        "fields": {"state": {"every": "1 step", "names": ["w", "n"]}},
        "output": {
            "out.nc": dict(common),
            "out.bp": {"format": "adios2", "adios2": {"engine": engine}, **common, **more},
        },
    }


def player(ranks: int, **more):
    fields = [field("w", "les"), field("n", "les", type="int32")]
    return model(ranks, grids=[block_grid(shape=SHAPE)], fields=fields, times=TIMES, **more)


def assert_same(netcdf, variables: dict, attributes: dict) -> None:
    assert set(variables) == set(netcdf.variables)
    for name, values in variables.items():
        expected = netcdf[name]
        assert values.dtype == expected.dtype, name
        np.testing.assert_array_equal(values, expected.values, err_msg=name)
        dims = attributes.get(f"{name}/{adios2_reading.NAMES}", [])
        assert tuple([dims] if isinstance(dims, str) else dims) == expected.dims
        assert_attributes(expected.attrs, attributes, f"{name}/")
    assert_attributes(netcdf.attrs, attributes, "")


def assert_attributes(expected: dict, attributes: dict, prefix: str) -> None:
    for name, value in expected.items():
        if name not in RUN_ATTRIBUTES | {"_NCProperties"}:
            np.testing.assert_array_equal(attributes[prefix + name], value, err_msg=prefix + name)


@pytest.mark.parametrize(
    ("engine", "ranks", "serving"),
    [
        ("bp5", 1, servers(1)),
        ("bp5", 4, servers(3)),
        ("bp4", 3, servers(2)),
        ("bp5", 2, inline()),
        ("bp5", 3, attached()),
    ],
    ids=["one", "many", "bp4", "inline", "attached"],
)
def test_holds_what_the_netcdf_file_holds(job, engine, ranks, serving):
    environment = {"TAILRACE_RANDOM_DELAYS": "3"} if ranks == 4 else None
    result = job(player(ranks), serving, config=configuration(engine), environment=environment).finished()
    variables, attributes = adios2_reading.read(result.path("out.bp"))
    assert variables["each"].shape == (len(TIMES), *SHAPE)
    assert_same(read_netcdf(result.path("out.nc")), variables, attributes)
    np.testing.assert_array_equal(variables["each"][5], put_values(0, SHAPE, TIMES[5], 6))


def test_steps_are_whole_or_absent_after_a_kill(job):
    moments = random.Random(7)
    committed = 0
    for kill in range(KILLS):
        times = varying_times(4000, seed=5)
        slow = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les"), field("n", "les", type="int32")])
        slow.scenario |= {"times": times, "pace": 0.002, "report_steps": True}
        config = configuration("bp4" if kill % 3 == 2 else "bp5")
        config["output"]["out.bp"]["write_every"] = "2 steps"
        with job.start(slow, servers(2), config=config) as running:
            running.wait_for("STEP 1\n")
            end = time.monotonic() + 20
            while kill % 2 and not commits(running.folder).get("out.bp") and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(moments.uniform(0.0, 0.8))
            assert running.alive()
            running.kill()
        promised = commits(running.folder).get("out.bp", {})
        if not (running.folder / "out.bp").exists():
            assert not promised
            continue
        variables, attributes = adios2_reading.read(running.folder / "out.bp")
        assert attributes["title"] == "a title"
        records = {dim: len(variables.get(dim, ())) for dim in attributes[adios2_reading.GROWING]}
        assert all(records[dim] >= length for dim, length in promised.items())
        for name in ("each", "n", "w_mean", "packed"):
            dim = attributes[f"{name}/{adios2_reading.NAMES}"][0]
            assert len(variables.get(name, ())) == records[dim], "a step is there in part"
        for record, values in enumerate(variables.get("each", ())):
            np.testing.assert_array_equal(values, put_values(0, SHAPE, times[record], record + 1))
        committed += sum(promised.values())
    assert committed > 0, "no run was killed after a commit; the test says nothing"


def test_takes_the_place_of_a_dataset_and_of_nothing_else(job, tmp_path):
    folder = tmp_path / "twice"
    for _ in range(2):
        job(player(1), servers(1), config=configuration("bp5"), folder=folder).finished()
    assert len(adios2_reading.read(folder / "out.bp")[0]["each"]) == len(TIMES)
    job(player(1), servers(1), config=configuration("bp5", if_exists="fail"), folder=folder).failed_with(
        "out.bp", "exists"
    )
    other = tmp_path / "other"
    (other / "out.bp").mkdir(parents=True)
    (other / "out.bp" / "mine.txt").write_text("mine")
    job(player(1), servers(1), config=configuration("bp5"), folder=other).failed_with(
        "out.bp", "exists, and is not a dataset of ADIOS2"
    )
    assert (other / "out.bp" / "mine.txt").read_text() == "mine"
    job(player(1), servers(1), config=configuration("bp5", on_error="skip"), folder=other).finished()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"adios2": {"engine": "bp6"}}, '"bp6"'),
        ({"adios2": {"engin": "bp5"}}, "engine"),
        ({"format": "netcdf"}, "expected `format: adios2`"),
        ({"compression": {"codec": "zlib"}}, "expected no `compression`"),
        ({"if_exists": "append"}, "goes on with no file of an earlier run"),
        ({"adios2": {"engine": "sst", "queue": 0}}, "queue"),
    ],
)
def test_what_it_cannot_do_is_said_with_the_place(job, change, message):
    config = configuration("bp5", **change)
    job(player(1), servers(1), config=config).failed_with("output.out.bp", message, code=2)
