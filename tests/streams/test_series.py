"""tailrace.stream on the files of a series: the records of all of them, in order, while the job runs and afterwards."""

import shutil
from pathlib import Path

import numpy as np
import pytest
import tailrace
import xarray as xr
from support.harness import block_grid, field, model, servers
from support.stream_reader import Reader, standing_still, wait_until
from support.values import put_values, varying_times
from tailrace.streams import JobEnded, StreamError, StreamTimeout

SHAPE = (3, 7, 11)
STEPS = 45
TIMES = varying_times(STEPS, seed=4, shortest=0.4, longest=2.3)
VARIABLES = [
    {"field": "w", "operation": "snapshot", "every": "1 step"},
    {"field": "w", "name": "w_mean", "operation": "mean", "every": "4 s"},
]
SERIES = {  # pattern -> file
    "out_*.nc": ("out.nc", {"new_file_every": "10 s", "write_every": "3 s"}),
    "per_*.nc": ("per.nc", {"file_per_write": True, "write_every": "7 s"}),
    "*/z_*.zarr": (
        "{start:%H}/z_{start:%H%M%S}.zarr",
        {"format": "zarr", "new_file_every": "20 s", "write_every": "4 s"},
    ),
}
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["w"]}},
    "output": {path: {**options, "variables": VARIABLES} for path, options in SERIES.values()},
}


def wave(pace: float = 0.0):
    grid = block_grid(shape=SHAPE)
    player = model(2, grids=[grid], fields=[field("w", "les", units="m s-1")], times=TIMES, pace=pace)
    player.scenario["report_steps"] = True
    return player


def files_of(folder: Path, pattern: str) -> list[xr.Dataset]:
    """The files in the order of their records, by xarray alone."""
    paths = sorted(folder.glob(pattern))
    opened = [xr.open_dataset(path, engine="zarr" if path.suffix == ".zarr" else "netcdf4") for path in paths]
    return sorted(opened, key=lambda data: data[growing(data)[0]].values[0])


def growing(data: xr.Dataset) -> list[str]:
    return sorted((str(dim) for dim in data.sizes if str(dim).startswith("time")), key=lambda dim: -data.sizes[dim])


def check(steps: list[xr.Dataset], folder: Path, pattern: str) -> None:
    files = files_of(folder, pattern)
    assert len(files) > 2
    snapshots = [step for step in steps if "w" in step]
    assert len(snapshots) == STEPS
    for number, step in enumerate(snapshots):
        assert np.array_equal(step.w[0], put_values(0, SHAPE, TIMES[number], number + 1)), number
    for name in ("w", "w_mean"):
        (time,) = (str(dim) for dim in files[0][name].dims if str(dim).startswith("time"))
        whole = np.concatenate([data[name].values for data in files])
        times = np.concatenate([data[time].values for data in files])
        got = [step for step in steps if name in step]
        assert np.array_equal(np.concatenate([step[name].values for step in got]), whole)
        assert np.array_equal(np.concatenate([step[time].values for step in got]), times)
        assert np.all(np.diff(times) > np.timedelta64(0))
    expected = files[0].attrs.keys()
    assert all(step.attrs.keys() == expected and step.x.identical(files[0].x) for step in steps)


def test_a_series_of_a_running_job(job, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    readers = {pattern: Reader(folder / pattern) for pattern in SERIES}
    late = Reader(folder / "out_*.nc", fields=["w"], start=17)  # of future steps
    with job.start(wave(0.02), servers(2), config=CONFIG, folder=folder) as running:
        running.wait_for("STEP 30\n")
        with standing_still(running):
            wait_until(lambda: all(len(reader.steps) > 20 for reader in readers.values()))
        running.wait().finished()
    for pattern, reader in readers.items():
        check(reader.got(), folder, pattern)
    steps = [step for step in readers["out_*.nc"].got() if "w" in step][17:]
    assert [float(step.w[0, 0, 0, 0]) for step in late.got()] == [float(step.w[0, 0, 0, 0]) for step in steps]


def test_a_finished_series_and_parts_of_it(job):
    folder = job(wave(), servers(1), config=CONFIG).finished().folder
    steps = {pattern: list(tailrace.stream(folder / pattern)) for pattern in SERIES}
    for pattern in SERIES:
        check(steps[pattern], folder, pattern)
    part = list(tailrace.stream(folder / "out_*.nc", fields=["w"], region={"x": slice(100, 300)}, every=9, start=25))
    whole = [step for step in steps["out_*.nc"] if "w" in step][25::9]
    assert [float(step.w[0, 0, 0, 0]) for step in part] == [float(step.w[0, 0, 0, 2]) for step in whole]
    (last,) = tailrace.stream(folder / "per_*.nc", start="last")
    xr.testing.assert_identical(last, steps["per_*.nc"][-1])


def test_a_job_that_is_killed_between_files_ends_the_loop(job):
    with job.start(wave(0.02), servers(1), config=CONFIG) as running:
        running.wait_for("STEP 30\n")
        with standing_still(running):
            count = 0
            with pytest.raises(JobEnded, match=r"per_.*\.nc: its job ended early: it was killed"):
                for _ in tailrace.stream(running.folder / "per_*.nc", timeout=30.0):
                    count += 1
                    if count == 15:
                        running.kill()
    assert 15 <= count < STEPS


def test_mistakes_in_a_series_are_reported(job, tmp_path):
    folder = job(wave(), servers(1), config=CONFIG).finished().folder
    with pytest.raises(StreamTimeout, match=r"never_\*\.nc: waited 0\.1 s for the first file of this series to be"):
        next(tailrace.stream(folder / "never_*.nc", timeout=0.1))
    with pytest.raises(StreamError, match=r"expected a pattern that only the files of one series match"):
        list(tailrace.stream(folder / "*.nc"))
    with pytest.raises(StreamError, match=r"a series is of NetCDF files or Zarr stores"):
        tailrace.stream(folder / "out_*.bp")
    shutil.copy(next(iter(sorted(folder.glob("out_*.nc")))), folder / "a[1].nc")
    assert len(list(tailrace.stream(folder / "a[1].nc"))) > 5  # a name, not a pattern
