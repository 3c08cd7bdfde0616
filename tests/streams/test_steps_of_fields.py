"""tailrace.stream with a field that few steps have: `start` and `every` count the steps with it, in all formats."""

import importlib.util
from itertools import islice

import numpy as np
import pytest
import tailrace
from support.harness import Job, block_grid, field, model, servers
from support.stream_reader import Reader, standing_still, wait_until
from support.values import put_values
from tailrace.streams.records import NewRecords

SHAPE = (3, 7, 11)
STEPS = 62
PAUSED_AFTER = 44
INTERVAL = 7  # steps, of one second
RARE = STEPS // INTERVAL
SOURCES = {  # what is read -> how it is written
    "out.nc": ("out.nc", {}),
    "day_*.nc": ("day.nc", {"new_file_every": "10 s"}),
}
if importlib.util.find_spec("zarr"):
    SOURCES["out.zarr"] = ("out.zarr", {"format": "zarr"})
if importlib.util.find_spec("adios2"):
    SOURCES |= {f"{one}.bp": (f"{one}.bp", {"format": "adios2", "adios2": {"engine": one}}) for one in ("bp4", "bp5")}
VARIABLES = [
    {"field": "w", "operation": "snapshot", "every": "1 step"},
    {"field": "w", "name": "rare", "operation": "snapshot", "every": f"{INTERVAL} s"},
]
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {path: {"write_every": "3 s", "variables": VARIABLES} | options for path, options in SOURCES.values()},
}


def wave(pace: float = 0.0):
    times = [1.0 * (i + 1) for i in range(STEPS)]
    player = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=times, pace=pace)
    player.scenario["report_steps"] = True
    return player


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a job that has ended."""
    return Job(tmp_path_factory.mktemp("finished"))(wave(), servers(1), config=CONFIG).finished().folder


def check(steps, part: slice) -> None:
    """Checks that exactly these of the rare records were returned."""
    moments = [INTERVAL * (number + 1) for number in range(RARE)][part]
    assert len(steps) == len(moments)
    for step, moment in zip(steps, moments, strict=True):
        assert np.array_equal(step.rare[0], put_values(0, SHAPE, 1.0 * moment, moment))
        (time,) = (str(dim) for dim in step.rare.dims if str(dim).startswith("time"))
        assert list(step[time].values) == [np.datetime64("2026-01-01") + np.timedelta64(moment, "s")]
        assert "w" not in step


@pytest.mark.parametrize("source", SOURCES)
def test_start_and_every_count_the_steps_with_the_field(finished, source):
    for start, every in ((0, 1), (1, 1), (0, 2), (3, 2), (1, 5), (RARE, 1)):
        steps = list(tailrace.stream(finished / source, fields=["rare"], start=start, every=every))
        check(steps, slice(start, None, every))


@pytest.mark.parametrize("source", SOURCES)
def test_the_newest_is_the_last_step_with_the_field(finished, source):
    """Later snapshots without the field, in a series a whole file of them, do not count."""
    check(list(tailrace.stream(finished / source, fields=["rare"], start="last", every=3)), slice(-1, None))


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("start", [3, "last"])
def test_no_values_of_skipped_steps_are_read(finished, source, start, monkeypatch):
    reading, read = NewRecords.read, []
    monkeypatch.setattr(NewRecords, "read", lambda self, *what: read.append(what) or reading(self, *what))
    steps = list(tailrace.stream(finished / source, fields=["rare"], start=start, every=4))
    assert len(read) == len(steps) == (2 if start == 3 else 1)


def test_parts_of_a_running_job(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    asked = {"fields": ["rare"], "start": 2, "every": 3}
    thinned = {source: Reader(folder / source, **asked) for source in SOURCES}
    with job.start(wave(0.02), servers(1), config=CONFIG, folder=folder) as running:
        running.wait_for(f"STEP {PAUSED_AFTER}\n")
        with standing_still(running):
            wait_until(lambda: all(reader.steps for reader in thinned.values()))
            begun = {
                source: list(islice(tailrace.stream(folder / source, fields=["rare"], timeout=60.0), 3))
                for source in SOURCES
            }
            gone_on = {source: Reader(folder / source, fields=["rare"], start=3) for source in SOURCES}
        running.wait().finished()
    for source in SOURCES:
        check(thinned[source].got(), slice(2, None, 3))
        check(begun[source] + gone_on[source].got(), slice(None))
